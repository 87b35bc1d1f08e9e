//! The event history of a run: what happened to it and what its code decided, in order.
//!
//! **Invariants**: event ids run 1..n without a gap; there is exactly one closing event, and it is the last; every
//! input is followed directly by the commands that the code issued for it.

mod close;
mod command;
mod event;
mod input;
mod json;
pub(crate) mod kind;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

pub use close::{
    ClosedBy, Compensation, FailedUndo, WorkflowCancelled, WorkflowCompleted, WorkflowFailed,
    WorkflowTerminated, WorkflowTimedOut,
};
pub use command::{
    ActivityCancelRequested, ActivityScheduled, CallSite, CompensationFinished, CompensationStarted,
    SideEffectRecorded, StepStarted, TimerCancelled, TimerStarted,
};
pub use event::{Event, EventKind, Role};
pub use input::{
    ActivityCancelled, ActivityCompleted, ActivityFailed, ActivityTimedOut, AttemptSummary, CancelCause,
    CancelRequested, OperatorDecided, OperatorDecision, RunLimits, StepCompleted, StepFailed, TimerFired,
    WorkflowStarted,
};
pub use json::{HistoryJsonError, from_json, to_json};
