//! Why a call of an activity or a step did not succeed, typed.

use steadfast_core::{AttemptError, CallError, CallRefused, EventId, PayloadTooLarge, TimeoutKind};

use super::workflow::WorkflowError;
use crate::failure::{AnyFailure, Failure, read, record};

/// Why a call of an activity did not succeed. `E` is the activity's own error, equal to what it returned.
///
/// `?` turns it into a [`WorkflowError`](crate::WorkflowError). Match on it to act on one of the errors:
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
/// # enum BankError { #[error("declined")] #[failure(non_retryable)] Declined }
/// # #[activity] async fn charge(cents: u64) -> Result<u64, BankError> { Ok(cents) }
/// # async fn pay(ctx: &WorkflowContext) -> Result<u64, WorkflowError> {
/// match charge(ctx, 500).await {
///     Ok(payment) => Ok(payment),
///     Err(ActivityError::Application(BankError::Declined)) => Ok(0),
///     Err(other) => Err(other.into()),
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivityError<E> {
    /// The activity returned this error, and it is final.
    #[error("{0}")]
    Application(E),
    /// Attempts or time ran out.
    #[error("`{}` was given up after {attempts} attempts: {last}", .call.name)]
    Exhausted {
        /// How the last attempt ended.
        last: LastError<E>,
        /// How many attempts there were.
        attempts: u32,
        /// The call.
        call: FailedCall,
    },
    /// No attempt began in time.
    #[error("`{}`: {timeout} timeout{}", .call.name, .reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default())]
    TimedOut {
        /// Which timeout passed.
        timeout: TimeoutKind,
        /// What the call was waiting for.
        reason: Option<String>,
        /// The call.
        call: FailedCall,
    },
    /// The scope of the call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The input or the result is larger than the run allows.
    #[error(transparent)]
    TooLarge(PayloadTooLarge),
    /// The call was refused before anything was recorded.
    #[error("`{}` was not called: {refused}", .call.name)]
    Refused {
        /// Why.
        refused: CallRefused,
        /// The call.
        call: FailedCall,
    },
    /// An attempt ended in a way that is final and no error of the activity's own: its input did not fit, say.
    #[error("`{}` failed: {error}", .call.name)]
    Failed {
        /// How it ended.
        error: Box<AttemptError>,
        /// The call.
        call: FailedCall,
    },
    /// The recorded result does not fit the type that the code expects.
    #[error("the result of `{}` cannot be read: {message}", .call.name)]
    Codec {
        /// What the decoder said.
        message: String,
        /// The call.
        call: FailedCall,
    },
}

/// Why a call of [`step`](crate::WorkflowContext::step) did not succeed.
pub type StepError = ActivityError<AnyFailure>;

/// How the last attempt of a call ended that was given up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LastError<E> {
    /// The activity returned this error.
    #[error("{0}")]
    Application(E),
    /// The activity panicked.
    #[error("panic: {message}")]
    Panic {
        /// The panic's text.
        message: String,
    },
    /// A timeout passed.
    #[error("{0} timeout")]
    TimedOut(TimeoutKind),
    /// The process that ran the attempt is gone.
    #[error("the worker was lost")]
    WorkerLost,
    /// Anything else.
    #[error("{0}")]
    Other(Box<AttemptError>),
}

/// Which call an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The name of the activity or the step.
    pub name: String,
    /// The event that scheduled it, if it was scheduled.
    pub scheduled: Option<EventId>,
}

impl<E: Failure> ActivityError<E> {
    /// The typed form of what the run says.
    pub(crate) fn from_call(error: CallError, call: FailedCall) -> Self {
        match error {
            CallError::Failed(error) => Self::from_attempt(error, call),
            CallError::Exhausted { last, attempts } => {
                Self::Exhausted { last: LastError::from_attempt(last), attempts, call }
            }
            CallError::TimedOut { timeout, reason } => Self::TimedOut { timeout, reason, call },
            CallError::Cancelled => Self::Cancelled,
            CallError::Refused(CallRefused::TooLarge(too_large)) => Self::TooLarge(too_large),
            CallError::Refused(refused) => Self::Refused { refused, call },
            CallError::Result(message) => Self::Codec { message, call },
            other => Self::Codec { message: other.to_string(), call },
        }
    }

    fn from_attempt(error: AttemptError, call: FailedCall) -> Self {
        match error {
            AttemptError::Application(failure) => match read(&failure) {
                Ok(error) => Self::Application(error),
                Err(_) => Self::Failed { error: Box::new(AttemptError::Application(failure)), call },
            },
            AttemptError::TooLarge(too_large) => Self::TooLarge(too_large),
            AttemptError::Cancelled => Self::Cancelled,
            other @ (AttemptError::Panic { .. }
            | AttemptError::TimedOut(_)
            | AttemptError::WorkerLost
            | AttemptError::HandedBack
            | AttemptError::InputMismatch { .. }
            | AttemptError::OutputUnwritable { .. }) => Self::Failed { error: Box::new(other), call },
        }
    }
}

impl<E: Failure> From<ActivityError<E>> for WorkflowError {
    fn from(error: ActivityError<E>) -> Self {
        let (error, FailedCall { name, scheduled }) = match error {
            ActivityError::Application(error) => return Self::from(error),
            ActivityError::Cancelled => return Self::Cancelled,
            ActivityError::TooLarge(too_large) => return Self::TooLarge(too_large),
            ActivityError::Exhausted { last, attempts, call } => {
                (CallError::Exhausted { last: last.into_attempt(), attempts }, call)
            }
            ActivityError::TimedOut { timeout, reason, call } => {
                (CallError::TimedOut { timeout, reason }, call)
            }
            ActivityError::Refused { refused, call } => (CallError::Refused(refused), call),
            ActivityError::Failed { error, call } => (CallError::Failed(*error), call),
            ActivityError::Codec { message, call } => (CallError::Result(message), call),
        };
        Self::Activity { name, scheduled, error: Box::new(error) }
    }
}

impl<E: Failure> LastError<E> {
    fn from_attempt(error: AttemptError) -> Self {
        match error {
            AttemptError::Application(failure) => match read(&failure) {
                Ok(error) => Self::Application(error),
                Err(_) => Self::Other(Box::new(AttemptError::Application(failure))),
            },
            AttemptError::Panic { message } => Self::Panic { message },
            AttemptError::TimedOut(timeout) => Self::TimedOut(timeout),
            AttemptError::WorkerLost => Self::WorkerLost,
            other @ (AttemptError::HandedBack
            | AttemptError::Cancelled
            | AttemptError::TooLarge(_)
            | AttemptError::InputMismatch { .. }
            | AttemptError::OutputUnwritable { .. }) => Self::Other(Box::new(other)),
        }
    }

    fn into_attempt(self) -> AttemptError {
        match self {
            Self::Application(error) => AttemptError::Application(record(&error)),
            Self::Panic { message } => AttemptError::Panic { message },
            Self::TimedOut(timeout) => AttemptError::TimedOut(timeout),
            Self::WorkerLost => AttemptError::WorkerLost,
            Self::Other(error) => *error,
        }
    }
}
