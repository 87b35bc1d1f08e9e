//! How a run ended.

use steadfast_core::history::{CancelCause, Compensation, EventKind};
use steadfast_core::{EventId, Payload, RunId, Timestamp, WorkflowError};
use steadfast_store::RunStatus;

/// A closed run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The run.
    pub run_id: RunId,
    /// How it ended.
    pub status: RunStatus,
    /// When.
    pub closed_at: Timestamp,
    /// How many events its history has.
    pub last_event: EventId,
    /// Its closing event.
    pub closing: EventKind,
}

impl RunOutcome {
    /// What the workflow returned, or why it did not.
    ///
    /// # Errors
    ///
    /// The workflow's error. A run that timed out or was terminated has [`WorkflowError::Engine`] with the reason.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a run is closed by no other event")]
    pub fn result(&self) -> Result<Payload, WorkflowError> {
        match &self.closing {
            EventKind::WorkflowCompleted(e) => Ok(e.output.clone()),
            EventKind::WorkflowFailed(e) => Err(e.error.clone()),
            EventKind::WorkflowCancelled(_) => Err(WorkflowError::Cancelled),
            EventKind::WorkflowTimedOut(e) => {
                let which =
                    if e.cause == CancelCause::RunTimeout { "run timeout" } else { "execution timeout" };
                Err(WorkflowError::Engine(which.to_owned()))
            }
            EventKind::WorkflowTerminated(e) => {
                Err(WorkflowError::Engine(format!("terminated: {}", e.reason)))
            }
            other => Err(WorkflowError::Engine(format!("closed by {}", other.name()))),
        }
    }

    /// What became of its sagas.
    #[must_use]
    #[expect(clippy::wildcard_enum_match_arm, reason = "a run is closed by no other event")]
    pub fn compensation(&self) -> Compensation {
        match &self.closing {
            EventKind::WorkflowCompleted(e) => e.compensation.clone(),
            EventKind::WorkflowFailed(e) => e.compensation.clone(),
            EventKind::WorkflowCancelled(e) => e.compensation.clone(),
            EventKind::WorkflowTimedOut(e) => e.compensation.clone(),
            EventKind::WorkflowTerminated(e) => e.compensation.clone(),
            _ => Compensation::None,
        }
    }
}

/// The state that a closing event leads to; `None` if it closes nothing.
#[expect(clippy::wildcard_enum_match_arm, reason = "only closing events are of interest")]
pub(crate) fn closed_status(closing: &EventKind) -> Option<RunStatus> {
    match closing {
        EventKind::WorkflowCompleted(_) => Some(RunStatus::Completed),
        EventKind::WorkflowFailed(_) => Some(RunStatus::Failed),
        EventKind::WorkflowCancelled(_) => Some(RunStatus::Cancelled),
        EventKind::WorkflowTimedOut(_) => Some(RunStatus::TimedOut),
        EventKind::WorkflowTerminated(_) => Some(RunStatus::Terminated),
        _ => None,
    }
}
