//! The error of a workflow.

use std::fmt::Display;

use steadfast_core::{ApplicationFailure, AttemptError, CallError, EventId, PayloadTooLarge};

use super::Cancelled;
use crate::failure::{Failure, read, record};

/// Why a workflow, a saga or a helper in it did not succeed.
///
/// `?` makes one of every activity's error, of every [`Failure`], and of [`Cancelled`]. For anything else there is
/// [`WorkflowError::fail`].
///
/// ```
/// use steadfast::WorkflowError;
///
/// fn legs(text: &str) -> Result<u32, WorkflowError> {
///     text.parse().map_err(WorkflowError::fail)
/// }
///
/// assert_eq!(legs("many").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The scope of a call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The code failed, or an activity with a final error of its own.
    #[error("{}", .0.message)]
    Application(Box<ApplicationFailure>),
    /// A call did not succeed for another reason than a final error of the activity's own.
    #[error("`{name}` failed: {error}")]
    Activity {
        /// The name of the activity or the step.
        name: String,
        /// The event that scheduled it, if it was scheduled.
        scheduled: Option<EventId>,
        /// What went wrong.
        error: Box<CallError>,
    },
    /// A value was larger than the run allows.
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
    /// The engine gave the run up.
    #[error("{0}")]
    Engine(String),
}

impl WorkflowError {
    /// An error of the workflow's own, with `error`'s text.
    pub fn fail(error: impl Display) -> Self {
        steadfast_core::WorkflowError::fail(error).into()
    }

    /// Whether the workflow, or the scope of a call in it, was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
            || matches!(self, Self::Activity { error, .. } if matches!(**error, CallError::Cancelled))
    }

    /// The typed error that the code or an activity failed with, if it is an `E`. The last error of an activity
    /// that was given up counts too.
    #[must_use]
    pub fn downcast<E: Failure>(&self) -> Option<E> {
        let failure = self.application().filter(|failure| failure.type_name == E::NAME)?;
        read(failure).ok()
    }

    fn application(&self) -> Option<&ApplicationFailure> {
        if let Self::Application(failure) = self {
            return Some(failure);
        }
        let Self::Activity { error, .. } = self else { return None };
        let (CallError::Failed(last) | CallError::Exhausted { last, .. }) = &**error else { return None };
        if let AttemptError::Application(failure) = last { Some(failure) } else { None }
    }
}

impl<E: Failure> From<E> for WorkflowError {
    fn from(error: E) -> Self {
        Self::Application(record(&error))
    }
}

impl From<Cancelled> for WorkflowError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<steadfast_core::WorkflowError> for WorkflowError {
    fn from(error: steadfast_core::WorkflowError) -> Self {
        use steadfast_core::WorkflowError as Core;
        match error {
            Core::Cancelled => Self::Cancelled,
            Core::Application(failure) => Self::Application(failure),
            Core::Activity { name, scheduled, error } => {
                Self::Activity { name, scheduled, error: Box::new(error) }
            }
            Core::TooLarge(too_large) => Self::TooLarge(too_large),
            Core::Codec { what, message } => Self::Codec { what, message },
            Core::HistoryLimit(limit) => Self::HistoryLimit(limit),
            Core::Engine(message) => Self::Engine(message),
            other => Self::Engine(other.to_string()),
        }
    }
}

impl From<WorkflowError> for steadfast_core::WorkflowError {
    fn from(error: WorkflowError) -> Self {
        match error {
            WorkflowError::Cancelled => Self::Cancelled,
            WorkflowError::Application(failure) => Self::Application(failure),
            WorkflowError::Activity { name, scheduled, error } => {
                Self::Activity { name, scheduled, error: *error }
            }
            WorkflowError::TooLarge(too_large) => Self::TooLarge(too_large),
            WorkflowError::Codec { what, message } => Self::Codec { what, message },
            WorkflowError::HistoryLimit(limit) => Self::HistoryLimit(limit),
            WorkflowError::Engine(message) => Self::Engine(message),
        }
    }
}
