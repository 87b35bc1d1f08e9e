//! The error of a workflow, as its code sees it and as it is recorded.

use serde::{Deserialize, Serialize};

use crate::failure::{ApplicationFailure, AttemptError, TimeoutKind};
use crate::id::EventId;
use crate::payload::PayloadTooLarge;

/// Why a workflow, a saga or a call in it did not succeed. `?` makes one of every activity's error.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The scope of the call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The workflow's own code failed.
    #[error("{}: {}", .0.type_name, .0.message)]
    Application(Box<ApplicationFailure>),
    /// An activity, or a step of the workflow's own, did not succeed.
    #[error("`{name}` failed: {error}")]
    Activity {
        /// Its name.
        name: String,
        /// Its event, if it was scheduled.
        scheduled: Option<EventId>,
        /// What went wrong.
        error: CallError,
    },
    /// A value of the workflow's own was larger than the run allows.
    #[error(transparent)]
    TooLarge(PayloadTooLarge),
    /// The input or the result of the workflow does not fit its types.
    #[error("{what} cannot be read: {message}")]
    Codec {
        /// Which value.
        what: String,
        /// What the codec said.
        message: String,
    },
    /// The history grew to its limit.
    #[error("history limit {0}")]
    HistoryLimit(u64),
    /// The run was closed before it could begin or go on.
    #[error("{0}")]
    Engine(String),
}

/// Why one call of an activity or a step did not succeed.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The failure was final.
    #[error("{0}")]
    Failed(AttemptError),
    /// Attempts or time ran out.
    #[error("given up after {attempts} attempts: {last}")]
    Exhausted {
        /// The last failure.
        last: AttemptError,
        /// How many attempts there were.
        attempts: u32,
    },
    /// No attempt began in time.
    #[error("{timeout} timeout{}", .reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default())]
    TimedOut {
        /// Which timeout passed.
        timeout: TimeoutKind,
        /// What the call was waiting for.
        reason: Option<String>,
    },
    /// The scope of the call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The call was refused; nothing was recorded.
    #[error("{0}")]
    Refused(CallRefused),
    /// The result does not fit the type that the code expects.
    #[error("the result cannot be read: {0}")]
    Result(String),
}

/// Why a call was refused before anything was recorded.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum CallRefused {
    /// The input is too large.
    #[error(transparent)]
    TooLarge(PayloadTooLarge),
    /// The input could not be written.
    #[error("the input cannot be written: {0}")]
    Input(String),
    /// Too much is open already.
    #[error("{open} activities are open already, the limit is {limit}; await some first")]
    TooManyOpen {
        /// How many are open.
        open: u32,
        /// The limit, as pinned when the run started.
        limit: u32,
    },
    /// The saga of the call has already ended.
    #[error("the saga has already ended; a step belongs inside its body")]
    SagaClosed,
    /// The idempotency key is not a valid key.
    #[error("{0}")]
    Key(String),
}

impl WorkflowError {
    /// An error of the workflow's own, with `error`'s text.
    pub fn fail(error: impl std::fmt::Display) -> Self {
        Self::Application(Box::new(ApplicationFailure {
            type_name: "Error".to_owned(),
            message: error.to_string(),
            causes: Vec::new(),
            disposition: crate::failure::Disposition::NonRetryable,
            details: None,
        }))
    }

    /// Whether this is a cancellation, of the workflow or of a call in it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled | Self::Activity { error: CallError::Cancelled, .. })
    }
}
