//! Bodies of the fixed functions' activities.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use steadfast_core::{ActivityName, ApplicationFailure, AttemptError, Disposition, Payload};

use super::super::plan::SimBody;
use super::code::named;

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    value: u64,
}

/// A number as a result.
pub(super) fn value(value: u64) -> Result<Payload, AttemptError> {
    Payload::json(&value).map_err(|error| AttemptError::Panic { message: error.0 })
}

fn failure(disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "Bank".to_owned(),
        message: "card declined".to_owned(),
        causes: Vec::new(),
        disposition,
        details: None,
    }))
}

fn retryable(after: Option<Duration>, no_effect: bool) -> AttemptError {
    failure(Disposition::Retryable { after, no_effect })
}

pub(super) fn final_failure() -> AttemptError {
    failure(Disposition::NonRetryable)
}

/// Every fourth attempt fails; what comes of it tells attempts apart.
fn work(input: u64, attempt: u32, draw: u64) -> Result<Payload, AttemptError> {
    match draw % 8 {
        0 | 1 => Err(retryable(None, false)),
        _ => value(input + u64::from(attempt) * 1_000),
    }
}

/// Fails in every way there is.
fn flaky(input: u64, attempt: u32, draw: u64) -> Result<Payload, AttemptError> {
    match draw % 10 {
        0 => Err(retryable(None, true)),
        1 => Err(retryable(Some(Duration::from_secs(2)), false)),
        2 => Err(AttemptError::Panic { message: "simulated".to_owned() }),
        3 => Err(final_failure()),
        4..7 => Err(retryable(None, false)),
        _ => value(input + u64::from(attempt) * 1_000),
    }
}

/// The step of a saga.
fn book(input: u64, attempt: u32, draw: u64) -> Result<Payload, AttemptError> {
    match draw % 20 {
        0 => Err(final_failure()),
        1 | 2 => Err(retryable(None, true)),
        3 | 4 => Err(retryable(None, false)),
        _ => value(input + u64::from(attempt) * 1_000),
    }
}

pub(super) fn all() -> BTreeMap<ActivityName, SimBody> {
    type Body = fn(u64, u32, u64) -> Result<Payload, AttemptError>;
    let sometimes: Body = |input, _, draw| {
        if draw.is_multiple_of(2) { Err(final_failure()) } else { value(input) }
    };
    let unbook: Body = |_, attempt, draw| {
        if draw % 5 == 0 { Err(retryable(None, false)) } else { value(u64::from(attempt)) }
    };
    let stubborn: Body = |_, _, _| Err(retryable(None, false));
    let bodies: [(&str, Body); 6] = [
        ("work", work),
        ("flaky", flaky),
        ("book", book),
        ("sometimes", sometimes),
        ("unbook", unbook),
        ("stubborn", stubborn),
    ];
    bodies
        .into_iter()
        .map(|(name, body)| {
            let body: SimBody = Arc::new(move |info, input, draw| {
                let input = input.decode::<Input>().map_or(0, |input| input.value);
                body(input, info.attempt, draw)
            });
            (named(ActivityName::new, name), body)
        })
        .collect()
}
