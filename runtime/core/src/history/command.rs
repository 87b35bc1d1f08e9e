//! Commands: what the code decided. Each field says whether it is *intent*, compared at replay, or *fact*, recorded
//! once and never compared.

use std::panic::Location;

use serde::{Deserialize, Serialize};

use crate::id::{ActivityName, EventId, IdempotencyKey};
use crate::options::EffectiveOptions;
use crate::payload::Payload;
use crate::retry::RetryPolicy;
use crate::time::Timestamp;

/// Where in the user's code a command came from. Always a fact: code may move between deployments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The source file, as the compiler names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl From<&Location<'_>> for CallSite {
    fn from(at: &Location<'_>) -> Self {
        Self { file: at.file().to_owned(), line: at.line() }
    }
}

impl std::fmt::Display for CallSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An activity is to be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityScheduled {
    /// Intent: which activity.
    pub activity: ActivityName,
    /// Intent: for an undo, the `ActivityScheduled` of the step that it undoes.
    pub undoes: Option<EventId>,
    /// Fact: the arguments.
    pub input: Payload,
    /// Fact: the key, the same for every attempt and for ever after.
    pub idempotency_key: IdempotencyKey,
    /// Fact: how many attempts were made under this key before: an undo that an operator lets run again goes on
    /// counting.
    pub attempts_before: u32,
    /// Fact: the options that hold.
    pub options: EffectiveOptions,
    /// Fact: the number of the saga whose step it is, or which it undoes a step of.
    pub saga: Option<u32>,
    /// Fact: the activity that would undo this one, if the call is a step of a saga.
    pub compensate: Option<ActivityName>,
    /// Fact.
    pub call_site: CallSite,
}

/// A running or waiting activity is to be ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityCancelRequested {
    /// Intent: the `ActivityScheduled`.
    pub scheduled: EventId,
}

/// A timer runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimerStarted {
    /// Fact: when it is due.
    pub due: Timestamp,
    /// Fact: whether `due` was given as a point of wall-clock time, not as a duration.
    pub follows_wall_clock: bool,
    /// Fact.
    pub call_site: CallSite,
}

/// A timer is no longer needed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimerCancelled {
    /// Intent: the `TimerStarted`.
    pub started: EventId,
}

/// A small durable side effect, a closure of the workflow's own, is to be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepStarted {
    /// Intent: its name.
    pub name: String,
    /// Fact: when to try again.
    pub retry: RetryPolicy,
    /// Fact.
    pub call_site: CallSite,
}

/// A value that the code computed once and reads from here ever after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideEffectRecorded {
    /// Fact: the value. (The kind and the position are the intent.)
    pub value: Payload,
    /// Fact.
    pub call_site: CallSite,
}

/// A saga begins to unwind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompensationStarted {
    /// Intent: the number of the saga in this run, from 1, in order of creation.
    pub saga: u32,
    /// Fact: why, in words.
    pub cause: String,
}

/// A saga has unwound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompensationFinished {
    /// Intent: the number of the saga.
    pub saga: u32,
    /// Fact: how many undos ran.
    pub undone: u32,
    /// Fact: the undos that did not succeed.
    pub failed: Vec<super::FailedUndo>,
}
