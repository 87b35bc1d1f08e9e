//! What is shown of a run and of dead letters.

use steadfast_core::history::{AttemptSummary, CancelCause, Compensation};
use steadfast_core::{
    ActivityName, AttemptError, AttemptFailure, EventId, Hold, IdempotencyKey, Payload, QueueName, RunId,
    SessionId, Timestamp, WorkflowId, WorkflowType,
};
use steadfast_store::RunStatus;

/// Where an open activity or step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActivityState {
    /// It waits for somebody to run it.
    Pending,
    /// An attempt runs.
    Running,
    /// It waits for its next attempt.
    RetryWait,
    /// Its circuit breaker holds it back; `next_attempt_at` is when it may be tried, which has passed while others are
    /// tried before it.
    CircuitOpen,
}

/// An open activity or step.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenActivity {
    /// The event that scheduled it.
    pub scheduled: EventId,
    /// Its name.
    pub name: String,
    /// Whether it is a step of the workflow's own.
    pub is_step: bool,
    /// The step that it undoes.
    pub undoes: Option<EventId>,
    /// The queue that it waits in.
    pub queue: QueueName,
    /// Where it stands.
    pub state: ActivityState,
    /// The number of the last attempt; 0 if none was granted.
    pub attempt: u32,
    /// When it was scheduled.
    pub scheduled_at: Timestamp,
    /// When the next attempt may begin, if it waits for that.
    pub next_attempt_at: Option<Timestamp>,
    /// When something happens to it by time alone.
    pub deadline: Option<Timestamp>,
    /// The session that runs the present attempt.
    pub session: Option<SessionId>,
    /// The newest failure.
    pub last_failure: Option<AttemptFailure>,
    /// The newest heartbeat details.
    pub details: Option<Payload>,
    /// Whether it was asked to end.
    pub is_cancel_requested: bool,
    /// Why nobody runs it, if it needs attention: "not registered: …".
    pub waits_for: Option<String>,
}

/// A timer that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTimer {
    /// The `TimerStarted`.
    pub started: EventId,
    /// When it is due.
    pub due: Timestamp,
    /// Whether that is a point of wall-clock time.
    pub follows_wall_clock: bool,
}

/// What is known of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDescription {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The run.
    pub run_id: RunId,
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// Its version; `None` before the first event.
    pub version: Option<u32>,
    /// The task queue.
    pub queue: QueueName,
    /// The state.
    pub status: RunStatus,
    /// Whether somebody should look, and why. Empty if not.
    pub attention: Vec<String>,
    /// Why the run cannot be activated, if it cannot.
    pub blocked: Option<String>,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When it begins, if its start was delayed.
    pub starts_at: Option<Timestamp>,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// How many events its history has.
    pub last_event: EventId,
    /// How many bytes its history has.
    pub history_bytes: u64,
    /// Open activities and steps, in order of scheduling.
    pub activities: Vec<OpenActivity>,
    /// Timers that run, in order of starting.
    pub timers: Vec<OpenTimer>,
    /// Whether undos are registered.
    pub has_undos: bool,
    /// The steps whose undo is registered, as far as the code could be asked.
    pub undos: Vec<EventId>,
    /// What waits for an operator's decision, by target.
    pub holds: Vec<Hold>,
    /// What became of its sagas so far.
    pub compensation: Compensation,
    /// How many inputs wait in its mailbox.
    pub mailbox: u64,
    /// Whether a client asked it to end.
    pub is_cancel_requested: bool,
    /// The end that the engine imposed on it.
    pub imposed: Option<CancelCause>,
    /// When the engine will end it.
    pub deadline: Option<Timestamp>,
}

impl RunDescription {
    /// Whether somebody should look.
    #[must_use]
    pub fn needs_attention(&self) -> bool {
        !self.attention.is_empty()
    }
}

/// An activity that was given up after all its attempts.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    /// When it was given up.
    pub at: Timestamp,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The run.
    pub run_id: RunId,
    /// The event that scheduled it.
    pub scheduled: EventId,
    /// The activity.
    pub activity: ActivityName,
    /// The step that it undoes.
    pub undoes: Option<EventId>,
    /// The queue.
    pub queue: QueueName,
    /// The arguments.
    pub input: Payload,
    /// The key.
    pub idempotency_key: IdempotencyKey,
    /// The last failure.
    pub error: AttemptError,
    /// Its attempts.
    pub attempts: AttemptSummary,
}
