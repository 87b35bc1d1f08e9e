//! Inputs: what happened to the run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::{AttemptError, AttemptFailure, Effect, TimeoutKind};
use crate::id::RunId;
use crate::id::{EventId, QueueName, RequestId, WorkflowId, WorkflowType};
use crate::payload::Payload;
use crate::time::Timestamp;

/// Always the first event. Pins all configuration that the code can observe, so that it never changes for the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowStarted {
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// Its version.
    pub version: u32,
    /// The user's key.
    pub workflow_id: WorkflowId,
    /// This execution of it.
    pub run_id: RunId,
    /// The task queue, which is also where its activities go unless they say otherwise.
    pub queue: QueueName,
    /// The arguments.
    pub input: Payload,
    /// Where the run's random numbers begin.
    pub seed: u64,
    /// Limits that the code can run into.
    pub limits: RunLimits,
    /// The request that started it.
    pub request_id: RequestId,
    /// How long this run may take.
    pub run_timeout: Option<Duration>,
    /// How long this run and those that continue it may take.
    pub execution_timeout: Option<Duration>,
    /// When the client asked for it, which is earlier than this event if the start was delayed.
    pub requested_at: Timestamp,
}

/// Limits that are pinned when a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// The largest payload, in bytes.
    pub payload_bytes_max: u64,
    /// The most activities and steps open at a time.
    pub open_activities_max: u32,
    /// The number of events at which a warning is logged.
    pub history_events_warn: u64,
    /// The number of events at which the engine ends the run.
    pub history_events_max: u64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            payload_bytes_max: 2 * 1024 * 1024,
            open_activities_max: 2_000,
            history_events_warn: 10_240,
            history_events_max: 51_200,
        }
    }
}

/// What is kept of an activity's attempts when it closes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptSummary {
    /// The number of the last attempt; 0 if none began.
    pub attempt: u32,
    /// When each attempt began, the newest [`crate::limits::ATTEMPT_TIMES_MAX`] of them, oldest first.
    pub begun: Vec<Timestamp>,
    /// The newest [`crate::limits::ATTEMPT_FAILURES_MAX`] failures, oldest first.
    pub failures: Vec<AttemptFailure>,
    /// What is known of the outside effect, folded over all attempts.
    pub effect: Effect,
}

/// An attempt succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityCompleted {
    /// The `ActivityScheduled` that this closes.
    pub scheduled: EventId,
    /// What the body returned.
    pub output: Payload,
    /// Its attempts.
    pub attempts: AttemptSummary,
}

/// The activity is given up after a failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityFailed {
    /// The `ActivityScheduled` that this closes.
    pub scheduled: EventId,
    /// The last failure.
    pub error: AttemptError,
    /// Whether attempts or time ran out; if not, the failure itself was final.
    pub exhausted: bool,
    /// Its attempts.
    pub attempts: AttemptSummary,
}

/// The activity is given up after a timeout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityTimedOut {
    /// The `ActivityScheduled` that this closes.
    pub scheduled: EventId,
    /// Which timeout passed.
    pub timeout: TimeoutKind,
    /// What the activity was waiting for, if an operator could have helped: "not registered: …".
    pub reason: Option<String>,
    /// Its attempts.
    pub attempts: AttemptSummary,
}

/// The activity ended after it was asked to, without success.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityCancelled {
    /// The `ActivityScheduled` that this closes.
    pub scheduled: EventId,
    /// Its attempts.
    pub attempts: AttemptSummary,
}

/// A timer's time came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimerFired {
    /// The `TimerStarted` that this closes.
    pub started: EventId,
}

/// Why a run is asked to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelCause {
    /// A client asked.
    User {
        /// In the client's words.
        reason: String,
        /// The client's request.
        request_id: RequestId,
    },
    /// The run timeout passed.
    RunTimeout,
    /// The execution timeout passed.
    ExecutionTimeout,
    /// The history grew to its limit, in events.
    HistoryLimit(u64),
}

impl CancelCause {
    /// Whether the engine imposed this end; only terminate goes beyond it.
    #[must_use]
    pub fn is_imposed(&self) -> bool {
        !matches!(self, Self::User { .. })
    }
}

/// The run is asked to end. At most one of a user's and one imposed by the engine are recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CancelRequested {
    /// Who asked and why.
    pub cause: CancelCause,
}

/// What an operator decides of something in a saga that waits for it.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OperatorDecision {
    /// An undo that did not succeed runs again, under its first key and with a fresh budget of attempts.
    Retry,
    /// An undo is given up: the step still stands.
    Skip {
        /// In the operator's words.
        reason: String,
    },
    /// What an undo does was done by other means: it counts as succeeded.
    Answer {
        /// What the undo would have returned.
        output: Payload,
    },
    /// What waits for approval goes on.
    Approve,
}

impl OperatorDecision {
    /// The decision as one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Skip { .. } => "skip",
            Self::Answer { .. } => "answer",
            Self::Approve => "approve",
        }
    }
}

/// An operator decided what the saga could not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorDecided {
    /// The step whose undo waits, by its `ActivityScheduled`; for an unwinding that waits as a whole, its
    /// `CompensationStarted`.
    pub target: EventId,
    /// What.
    pub decision: OperatorDecision,
    /// Who, in their own words.
    pub who: String,
    /// The client's request.
    pub request_id: RequestId,
}

/// An attempt of a step succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepCompleted {
    /// The `StepStarted` that this closes.
    pub started: EventId,
    /// What the closure returned.
    pub output: Payload,
    /// Its attempts.
    pub attempts: AttemptSummary,
}

/// The step is given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFailed {
    /// The `StepStarted` that this closes.
    pub started: EventId,
    /// The last failure.
    pub error: AttemptError,
    /// Whether attempts ran out; if not, the failure itself was final.
    pub exhausted: bool,
    /// Its attempts.
    pub attempts: AttemptSummary,
}
