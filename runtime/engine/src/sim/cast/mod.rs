//! Who takes part: workflow functions, the bodies of their activities, and the runs that a seed asks for.
//!
//! Some functions are fixed: each has a part of the engine in view. Others are programs drawn from the seed.

mod bodies;
mod code;
mod draw;
mod flows;
mod sagas;

/// The kinds of events that many simulations together have to bring about.
pub(super) const EVENTS: &[&str] = &[
    "WorkflowStarted",
    "ActivityCompleted",
    "ActivityFailed",
    "ActivityTimedOut",
    "ActivityCancelled",
    "TimerFired",
    "CancelRequested",
    "StepCompleted",
    "StepFailed",
    "ActivityScheduled",
    "ActivityCancelRequested",
    "TimerStarted",
    "TimerCancelled",
    "StepStarted",
    "SideEffectRecorded",
    "CompensationStarted",
    "CompensationFinished",
    "WorkflowCompleted",
    "WorkflowFailed",
    "WorkflowCancelled",
    "WorkflowTimedOut",
    "WorkflowTerminated",
];
