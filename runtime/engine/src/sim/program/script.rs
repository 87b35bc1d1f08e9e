//! Bodies of activities whose outcomes follow from a seed.

use std::collections::BTreeMap;
use std::sync::Arc;

use steadfast_core::{ActivityName, ApplicationFailure, AttemptError, Disposition, IdempotencyKey, Payload};

use super::super::plan::SimBody;
use super::parts::mix;
use super::tree::Program;

/// From this attempt on every body succeeds, so that a call without a bound of attempts ends.
const SUCCEEDS_FROM: u32 = 7;

/// What an attempt comes to.
pub type ScriptedEnd = Result<Payload, AttemptError>;

impl Program {
    /// Bodies for all activities of the program; see [`scripted_body`].
    #[must_use]
    pub fn bodies(&self, seed: u64) -> BTreeMap<ActivityName, SimBody> {
        let body: SimBody =
            Arc::new(move |info, _, _| scripted_body(seed, &info.idempotency_key, info.attempt));
        self.activities().into_iter().map(|name| (name, Arc::clone(&body))).collect()
    }
}

/// The outcome of an attempt: the same for the same seed, key and attempt.
///
/// About three of four attempts succeed; the others fail in every way in which a body can, and from the seventh attempt
/// on all succeed.
///
/// # Errors
///
/// The failure that was drawn.
pub fn scripted_body(seed: u64, key: &IdempotencyKey, attempt: u32) -> ScriptedEnd {
    let of_key = key.as_str().bytes().fold(seed, |hash, byte| mix(hash, u64::from(byte)));
    let drawn = mix(of_key, u64::from(attempt));
    let value = || Payload::json(&of_key).map_err(|error| AttemptError::Panic { message: error.0 });
    if attempt >= SUCCEEDS_FROM {
        return value();
    }
    match drawn % 100 {
        0..72 => value(),
        72..84 => Err(failure(Disposition::Retryable { after: None, no_effect: false })),
        84..90 => Err(failure(Disposition::Retryable { after: None, no_effect: true })),
        90..94 => Err(AttemptError::Panic { message: "scripted".to_owned() }),
        _ => Err(failure(Disposition::NonRetryable)),
    }
}

fn failure(disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "Scripted".to_owned(),
        message: "as the script says".to_owned(),
        causes: Vec::new(),
        disposition,
        details: None,
    }))
}
