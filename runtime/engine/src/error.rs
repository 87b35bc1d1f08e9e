//! What can go wrong for a client, one enum for each family of calls.

use steadfast_core::{EventId, Hold, PayloadTooLarge, RunId, ShardId, WorkflowId};
use steadfast_store::{Refusal, StoreError, StoreErrorKind};

/// The engine could not do its work. The run, if there is one, is as it was unless the text says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The engine stops or has stopped.
    #[error("the engine is shutting down or was shut down; open another one")]
    ShuttingDown,
    /// The store failed while the call was being written: it may or may not have taken effect.
    #[error("the outcome is not known ({0}); the same request id can be sent again")]
    OutcomeUnknown(String),
    /// The store does not answer. Nothing was changed.
    #[error("the store does not answer: {0}")]
    Store(String),
    /// A stored record cannot be read; it was left as it is.
    #[error("{0}")]
    Unreadable(String),
    /// The call itself was wrong: a request id that was used for another kind of call, for instance.
    #[error("{0}")]
    Invalid(String),
    /// Another engine owns the shard, or nobody does at the moment.
    #[error("shard {0} is not owned by this engine at the moment")]
    NotOwner(ShardId),
    /// There is no room for new runs.
    #[error("there is no room for new runs: {0}")]
    NoRoom(String),
}

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
    /// The input is larger than a run allows. Nothing was stored.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
    /// The engine could not do it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A cancel or a terminate that was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndError {
    /// There is no such run.
    #[error("there is no such run of workflow `{0}`; check its id")]
    NotFound(WorkflowId),
    /// The run is closed already.
    #[error("run {run_id} of workflow `{workflow_id}` is closed already; its result can be read")]
    Closed {
        /// The workflow.
        workflow_id: WorkflowId,
        /// The run.
        run_id: RunId,
    },
    /// The engine could not do it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// An operator's decision that was refused or failed. Nothing was recorded unless the text says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// There is no such run, it is closed, or the engine could not do it.
    #[error(transparent)]
    Run(EndError),
    /// Nothing waits for a decision there; it may have been decided already.
    #[error("nothing waits for a decision on event {target} of workflow `{workflow_id}`; {}", waiting(.holds))]
    NothingWaits {
        /// The workflow.
        workflow_id: WorkflowId,
        /// What was named.
        target: EventId,
        /// What does wait.
        holds: Vec<Hold>,
    },
    /// What waits needs another decision.
    #[error("`{decision}` does not fit: {hold}")]
    Misfit {
        /// The decision, as a word.
        decision: &'static str,
        /// What waits.
        hold: Hold,
    },
    /// The answer is larger than the run allows.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
    /// Nobody is named, or with more than 1,000 bytes.
    #[error("say who decides, in 1 to 1000 bytes that are not all blanks")]
    Nameless,
}

fn waiting(holds: &[Hold]) -> String {
    if holds.is_empty() {
        return "nothing in it waits for one".to_owned();
    }
    let holds: Vec<String> = holds.iter().map(ToString::to_string).collect();
    format!("what waits: {}", holds.join("; "))
}

impl From<EndError> for DecideError {
    fn from(error: EndError) -> Self {
        Self::Run(error)
    }
}

impl From<Unavailable> for DecideError {
    fn from(error: Unavailable) -> Self {
        Self::Run(error.into())
    }
}

/// A circuit breaker that could not be closed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BreakerError {
    /// Nobody is named, or with more than 1,000 bytes.
    #[error("say who does it, in 1 to 1000 bytes that are not all blanks")]
    Nameless,
    /// The engine could not do it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A question about one run that could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such run.
    #[error("there is no such run of workflow `{0}`; check its id")]
    NotFound(WorkflowId),
    /// The engine could not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A list that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The engine could not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// An engine that could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The store does not answer.
    #[error("the store does not answer")]
    Store(#[from] StoreError),
    /// No runtime for activity bodies could be made.
    #[error("no runtime for activity bodies")]
    Runtime(#[source] std::io::Error),
    /// A thread could not be started.
    #[error("no thread for {0}")]
    Thread(&'static str, #[source] std::io::Error),
}

impl From<&StoreError> for Unavailable {
    fn from(error: &StoreError) -> Self {
        if error.kind() == StoreErrorKind::Corrupt {
            Self::Unreadable(chain(error))
        } else {
            Self::Store(chain(error))
        }
    }
}

impl From<StoreError> for Unavailable {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<Refusal> for Unavailable {
    fn from(refusal: Refusal) -> Self {
        Self::OutcomeUnknown(refusal.to_string())
    }
}

/// An error with all its causes, as one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
