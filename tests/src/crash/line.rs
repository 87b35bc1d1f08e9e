//! What a worker says to the parent: one JSON line on its standard output for each thing, written at once.
//!
//! **Invariant:** an acknowledgement is written only after the engine returned `Ok`. Together the lines are the
//! callers' own log, which does not die with the worker.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// What all workflows return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// What each activity gave back, in the order in which the workflow used it.
    pub(crate) receipts: Vec<Receipt>,
    /// That of the order.
    pub(crate) padding: String,
}

/// What an activity gives back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// Its own idempotency key.
    pub(crate) key: String,
    /// What the ledger answered.
    pub(crate) value: u64,
}

/// How a workflow ended, as its caller was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Completed(Report),
    Cancelled,
    /// With the error's text.
    Failed(String),
}

/// One line. A number is that of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Line {
    /// The store is about to be opened.
    Opening,
    /// The engine is open and its worker started.
    Opened,
    /// As many workflows as wanted are in flight.
    Ready,
    /// A start is about to be asked for.
    Trying { number: u64 },
    /// The start was acknowledged.
    Started { number: u64, run: String },
    /// The result was acknowledged.
    Ended { number: u64, outcome: Outcome },
    /// The cancel was acknowledged.
    Cancelled { number: u64 },
    /// The cancel was refused: the run had closed.
    CancelRefused { number: u64 },
    /// The history was shown with the activities of these keys complete.
    Shown { number: u64, keys: Vec<String> },
    /// The history was shown, with so many events.
    Read { number: u64, events: usize, digest: u64 },
    /// A workflow whose start was acknowledged is not known.
    Missing { number: u64, what: String },
    /// A call failed that should not have.
    Failed { number: u64, what: String },
    /// Everything is closed and written to the file of runs.
    Finished,
}

impl Line {
    /// Writes the line for the parent. One write, so that a kill leaves it whole or absent, or cut and ignored.
    pub(crate) fn say(&self) {
        let mut text = serde_json::to_vec(self).unwrap_or_default();
        text.push(b'\n');
        let mut stdout = io::stdout().lock();
        // A parent that is gone has no use for it.
        drop(stdout.write_all(&text).and_then(|()| stdout.flush()));
    }
}
