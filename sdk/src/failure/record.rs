//! From a typed error to its record, and back.

use std::error::Error;

use steadfast_core::limits::{CAUSES_MAX, clip};
use steadfast_core::{ApplicationFailure, PayloadError};

use super::Failure;

/// The error as it is recorded.
pub(crate) fn record<E: Failure>(error: &E) -> Box<ApplicationFailure> {
    Box::new(ApplicationFailure {
        type_name: E::NAME.to_owned(),
        message: clip(error.to_string()),
        causes: error.causes().into_iter().take(CAUSES_MAX).map(clip).collect(),
        disposition: error.disposition(),
        // An error that cannot be written is still recorded as text.
        details: error.to_payload().ok(),
    })
}

/// The error as it was before it was recorded.
pub(crate) fn read<E: Failure>(failure: &ApplicationFailure) -> Result<E, PayloadError> {
    let Some(details) = &failure.details else {
        return Err(PayloadError(format!("the value of `{}` was not recorded", failure.type_name)));
    };
    E::from_payload(details)
}

/// The texts of the causes of `error`, outermost first.
pub(crate) fn causes_of(error: &dyn Error) -> Vec<String> {
    std::iter::successors(error.source(), |cause: &&dyn Error| (*cause).source())
        .take(CAUSES_MAX)
        .map(ToString::to_string)
        .collect()
}
