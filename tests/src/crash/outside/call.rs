//! Calls and answers as they travel: one JSON line each, answered in order.

use serde::{Deserialize, Serialize};

/// What a worker sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The first line: which round this is. Nothing is done before it is answered.
    Hello {
        /// The round of the worker.
        round: u32,
    },
    /// The body of an activity began.
    Call(Call),
    /// The body will say this in its next heartbeat.
    Beat {
        /// The key of the activity.
        key: String,
        /// How far it got.
        progress: u32,
    },
}

/// What a body says of itself when it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The workflow that wants it.
    pub(crate) workflow: String,
    /// Its name, for people.
    pub(crate) activity: String,
    /// Its idempotency key.
    pub(crate) key: String,
    /// The number of the attempt; 0 where a body is not told.
    pub(crate) attempt: u32,
    /// The keys of all results that the workflow had in hand when it asked for this: none of them may run again.
    pub(crate) earlier: Vec<String>,
    /// The key of the step that this undoes. Everything else that its workflow called before is settled then.
    pub(crate) undoes: Option<String>,
    /// How many calls with this key are to fail first.
    pub(crate) failures: u32,
    /// The heartbeat details that the attempt was given.
    pub(crate) details: Option<u32>,
}

/// What the ledger says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The same for every call with one key.
    pub(crate) value: u64,
    /// The call had no effect and is to be tried again.
    pub(crate) fails: bool,
}
