//! Requests, as they are handed to a shard.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast_core::history::OperatorDecision;
use steadfast_core::{
    ActivityName, ActivityOptions, EventId, Payload, QueueName, RequestId, RunId, WorkflowId, WorkflowType,
};

/// Whether the id of a closed run may be used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IdReusePolicy {
    /// Yes.
    #[default]
    AllowDuplicate,
    /// Only if the last run did not complete.
    AllowDuplicateFailedOnly,
    /// No.
    RejectDuplicate,
}

/// What happens if a run with the id is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IdConflictPolicy {
    /// The start is refused.
    #[default]
    Fail,
    /// The open run is returned.
    UseExisting,
    /// The open run is terminated, and a new one is started in the same commit.
    TerminateExisting,
}

/// Asks for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StartRequest {
    /// The user's key of the workflow.
    pub workflow_id: WorkflowId,
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// Its version; the newest that is registered if it is `None`.
    pub version: Option<u32>,
    /// The task queue.
    pub queue: QueueName,
    /// The arguments.
    pub input: Payload,
    /// Makes a repeated request one request; a new one is made up if it is `None`.
    pub request_id: Option<RequestId>,
    /// Whether the id of a closed run may be used again.
    pub id_reuse: IdReusePolicy,
    /// What happens if a run with the id is open.
    pub id_conflict: IdConflictPolicy,
    /// How long the run may take.
    pub run_timeout: Option<Duration>,
    /// How long the run and those that continue it may take.
    pub execution_timeout: Option<Duration>,
    /// How long the run waits before its first event.
    pub start_delay: Option<Duration>,
}

impl StartRequest {
    /// A request with nothing special about it.
    #[must_use]
    pub fn new(
        workflow_id: WorkflowId,
        workflow_type: WorkflowType,
        queue: QueueName,
        input: Payload,
    ) -> Self {
        Self {
            workflow_id,
            workflow_type,
            version: None,
            queue,
            input,
            request_id: None,
            id_reuse: IdReusePolicy::default(),
            id_conflict: IdConflictPolicy::default(),
            run_timeout: None,
            execution_timeout: None,
            start_delay: None,
        }
    }
}

/// A run that was started, or found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The run.
    pub run_id: RunId,
    /// Whether it was open before, and [`IdConflictPolicy::UseExisting`] returned it.
    pub is_existing: bool,
}

/// One run, or the newest of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSelector {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The run; the newest if it is `None`.
    pub run_id: Option<RunId>,
}

impl From<WorkflowId> for RunSelector {
    fn from(workflow_id: WorkflowId) -> Self {
        Self { workflow_id, run_id: None }
    }
}

/// Asks a run to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelRequest {
    /// Which run.
    pub run: RunSelector,
    /// Why, in the client's words.
    pub reason: String,
    /// Makes a repeated request one request; a new one is made up if it is `None`.
    pub request_id: Option<RequestId>,
}

/// Ends a run at once; its undos are not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminateRequest {
    /// Which run.
    pub run: RunSelector,
    /// Why, in the client's words.
    pub reason: String,
    /// Makes a repeated request one request; a new one is made up if it is `None`.
    pub request_id: Option<RequestId>,
}

/// An operator's decision about something in a saga that waits for one.
#[derive(Debug, Clone, PartialEq)]
pub struct DecideRequest {
    /// Which run.
    pub run: RunSelector,
    /// What waits: [`Hold::target`](steadfast_core::Hold::target).
    pub target: EventId,
    /// What is decided.
    pub decision: OperatorDecision,
    /// Who decides, in their own words: 1 to 1,000 bytes.
    pub who: String,
    /// Makes a repeated request one request; a new one is made up if it is `None`.
    pub request_id: Option<RequestId>,
}

/// Asks for one activity without a workflow of the user's.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityRequest {
    /// The id of the run that calls it.
    pub workflow_id: WorkflowId,
    /// The activity.
    pub activity: ActivityName,
    /// The queue.
    pub queue: QueueName,
    /// The arguments.
    pub input: Payload,
    /// Its options.
    pub options: ActivityOptions,
    /// The key, if it is the user's own.
    pub idempotency_key: Option<String>,
    /// Makes a repeated request one request; a new one is made up if it is `None`.
    pub request_id: Option<RequestId>,
}
