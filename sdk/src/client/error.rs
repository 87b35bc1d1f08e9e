//! What clients see when something does not succeed.

use steadfast_core::history::{CancelCause, Compensation, EventKind};
use steadfast_core::{InvalidId, Payload, PayloadError, PayloadTooLarge, RunId, WorkflowId};
use steadfast_engine::{ReadError, RunOutcome, Unavailable};

use crate::error::{ActivityError, WorkflowError};
use crate::failure::Failure;

/// A start that was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The id is in use, or was used and the policy forbids using it again.
    #[error(
        "workflow `{workflow_id}` was started already as run {run_id}; use another id, or another id policy"
    )]
    AlreadyStarted {
        /// The id.
        workflow_id: WorkflowId,
        /// The run that has it.
        run_id: RunId,
    },
    /// An id or a name is not a valid one.
    #[error(transparent)]
    Name(#[from] InvalidId),
    /// The input cannot be written.
    #[error("the input cannot be written")]
    Input(#[source] PayloadError),
    /// The input is larger than a run allows.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
    /// The engine could not do it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<steadfast_engine::StartError> for StartError {
    fn from(error: steadfast_engine::StartError) -> Self {
        use steadfast_engine::StartError as Engine;
        match error {
            Engine::AlreadyStarted { workflow_id, run_id } => Self::AlreadyStarted { workflow_id, run_id },
            Engine::TooLarge(too_large) => Self::TooLarge(too_large),
            Engine::Unavailable(error) => Self::Unavailable(error),
            other => Self::Unavailable(Unavailable::Invalid(other.to_string())),
        }
    }
}

/// A run that gave no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The workflow failed.
    #[error("the workflow failed")]
    Failed {
        /// Its error: the first one, whatever became of the undos.
        #[source]
        error: WorkflowError,
        /// What became of its sagas.
        compensation: Compensation,
    },
    /// The workflow was cancelled, and let it end so.
    #[error("the workflow was cancelled")]
    Cancelled {
        /// What became of its sagas.
        compensation: Compensation,
    },
    /// The run timeout or the execution timeout passed.
    #[error("the {} of the workflow passed", which(.cause))]
    TimedOut {
        /// Which of the two.
        cause: CancelCause,
        /// What became of its sagas.
        compensation: Compensation,
    },
    /// A client ended the run at once; its undos were not run.
    #[error("the workflow was terminated: {reason}")]
    Terminated {
        /// In the client's words.
        reason: String,
        /// What became of its sagas until then.
        compensation: Compensation,
    },
    /// The result does not fit the type of the workflow.
    #[error("the result of `{workflow}` cannot be read")]
    Unreadable {
        /// The workflow.
        workflow: &'static str,
        /// What the decoder said.
        #[source]
        source: PayloadError,
    },
    /// The run could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

fn which(cause: &CancelCause) -> &'static str {
    if *cause == CancelCause::RunTimeout { "run timeout" } else { "execution timeout" }
}

impl RunError {
    /// What the run returned, or why it did not.
    pub(super) fn of(outcome: &RunOutcome) -> Result<Payload, Self> {
        let compensation = outcome.compensation();
        let closing = &outcome.closing;
        if let EventKind::WorkflowCancelled(_) = closing {
            return Err(Self::Cancelled { compensation });
        }
        if let EventKind::WorkflowTimedOut(event) = closing {
            return Err(Self::TimedOut { cause: event.cause.clone(), compensation });
        }
        if let EventKind::WorkflowTerminated(event) = closing {
            return Err(Self::Terminated { reason: event.reason.clone(), compensation });
        }
        outcome.result().map_err(|error| Self::Failed { error: error.into(), compensation })
    }

    /// The error that the workflow failed with.
    #[must_use]
    pub fn workflow_error(&self) -> Option<&WorkflowError> {
        if let Self::Failed { error, .. } = self { Some(error) } else { None }
    }

    /// The typed error that the workflow or one of its activities failed with, if it is an `E`.
    #[must_use]
    pub fn downcast<E: Failure>(&self) -> Option<E> {
        self.workflow_error().and_then(WorkflowError::downcast)
    }

    /// What became of the sagas of the run; `None` if the run could not be read.
    #[must_use]
    pub fn compensation(&self) -> Option<&Compensation> {
        match self {
            Self::Failed { compensation, .. }
            | Self::Cancelled { compensation }
            | Self::TimedOut { compensation, .. }
            | Self::Terminated { compensation, .. } => Some(compensation),
            Self::Unreadable { .. } | Self::Read(_) => None,
        }
    }
}

/// An activity that was run without a workflow and gave no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunActivityError<E> {
    /// It did not begin.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The activity did not succeed.
    #[error("{0}")]
    Activity(ActivityError<E>),
    /// It was ended from outside.
    #[error(transparent)]
    Ended(RunError),
}
