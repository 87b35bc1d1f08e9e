//! Closing events: how the run ended. Exactly one, the last.

use serde::{Deserialize, Serialize};

use super::input::CancelCause;
use crate::error::WorkflowError;
use crate::id::EventId;
use crate::payload::Payload;

/// What became of the sagas of a closed run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Compensation {
    /// Nothing was undone.
    #[default]
    None,
    /// Every undo that was needed succeeded.
    Compensated,
    /// Some undos did not succeed; what they should have undone may still stand.
    Failed(Vec<FailedUndo>),
}

/// An undo that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedUndo {
    /// The step that still stands; `None` for an undo that is code of the workflow's own.
    pub step: Option<EventId>,
    /// The name of the undo.
    pub undo: String,
    /// How many attempts it had.
    pub attempts: u32,
    /// The last error, in words; empty if it never ran.
    pub error: String,
    /// Why an operator gave it up, if one did.
    pub skipped: Option<String>,
}

/// Who ended the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClosedBy {
    /// The workflow function; compared at replay.
    Code,
    /// The engine; not compared.
    Engine,
}

/// The function returned a value. Intent: the kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowCompleted {
    /// What it returned.
    pub output: Payload,
    /// What became of its sagas.
    pub compensation: Compensation,
}

/// The function returned an error, or the engine gave the run up. Intent, if by the code: the kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowFailed {
    /// The first error.
    pub error: WorkflowError,
    /// Whose decision it was.
    pub by: ClosedBy,
    /// What became of its sagas.
    pub compensation: Compensation,
}

/// The run was cancelled, and its code let it end so. Intent: the kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowCancelled {
    /// What became of its sagas.
    pub compensation: Compensation,
}

/// The run timeout or the execution timeout passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowTimedOut {
    /// Which of the two.
    pub cause: CancelCause,
    /// Whose decision it was: the code's if it had undos to run first.
    pub by: ClosedBy,
    /// What became of its sagas.
    pub compensation: Compensation,
}

/// A client ended the run at once, undos not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowTerminated {
    /// In the client's words.
    pub reason: String,
    /// The steps whose undos were not run.
    pub undos_not_run: Vec<EventId>,
    /// What became of its sagas until then.
    pub compensation: Compensation,
}
