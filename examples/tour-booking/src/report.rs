//! What a worker process tells the demonstration: one line of JSON for each thing that happened.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::workflows::Tour;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub enum Report {
    /// The store is open, and nothing has been resumed yet.
    Opened {
        /// The tours that are on disk.
        found: Vec<Found>,
    },
    /// A tour was asked for, or found again after a restart.
    Started {
        /// Its id.
        tour: String,
    },
    /// The commit of this number is on disk, and nobody has been told of it. The process stands still and waits to be
    /// killed.
    Reached {
        /// Counted from 1 in this process.
        commit: u64,
    },
    /// A tour ended, in this process or before it.
    Ended(Ended),
    /// All tours have ended, and the store is closed.
    Finished {
        /// How many commits this process made.
        commits: u64,
    },
}

/// A tour that is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its id.
    pub tour: String,
    /// How many events its history has.
    pub events: u64,
}

/// How a tour ended, with its history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Its id.
    pub tour: String,
    /// For its caller.
    pub outcome: Outcome,
    /// Its history.
    pub rows: Vec<Row>,
}

/// What a tour's caller is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything is booked.
    Completed(Tour),
    /// Nothing is.
    Failed {
        /// The first error.
        error: String,
        /// What became of the steps before it.
        steps: Unwound,
    },
}

/// What became of the steps of a tour that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unwound {
    /// There was nothing to undo.
    Nothing,
    /// Every step was undone.
    All,
    /// Not everything, in words.
    Not(String),
}

/// One event of a history, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its place in the history.
    pub id: u64,
    /// When, in microseconds since 1970.
    pub at: u64,
    /// The kind of event.
    pub event: String,
    /// What it is about.
    pub text: String,
    /// What to think of it.
    pub tone: Tone,
    /// Attempts that failed before this.
    pub failed: Vec<FailedAttempt>,
}

/// One attempt of an activity that failed, and was followed by another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAttempt {
    /// Its number.
    pub attempt: u32,
    /// When it ended, in microseconds since 1970.
    pub at: u64,
    /// Why it failed.
    pub error: String,
}

/// What to think of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// As wished.
    Good,
    /// Something failed.
    Bad,
    /// Something is being undone.
    Undo,
}

impl Report {
    /// Writes the line to stdout.
    ///
    /// # Errors
    ///
    /// Fails when nobody reads it any more.
    pub fn print(&self) -> io::Result<()> {
        let line = serde_json::to_string(self)?;
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()
    }
}
