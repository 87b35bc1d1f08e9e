//! What the program is told, and what of it a workload takes.

use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, ValueEnum};

use crate::place::Place;

/// Measures one workload and prints a line of JSON for each result
#[derive(Debug, Parser)]
#[command(name = "steadfast-bench")]
pub(crate) struct Options {
    /// What is measured
    #[arg(long, value_enum, ignore_case = true)]
    workload: Workload,
    /// How much: syncs (raw), workflows (W1, W2, W6) or activities of the one workflow (W5)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    n: Option<u64>,
    /// Where: `./dir` or `sled:./dir`, empty or missing; `memory:` for W1, W2 and W5
    #[arg(long, value_name = "URL")]
    store: String,
    /// How many callers start workflows at a time (W2 and W6)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    concurrency: Option<u64>,
    /// Keeps the load up for so many seconds instead, and prints what the process occupies as it goes on (W2)
    #[arg(long, value_name = "SECONDS", conflicts_with = "n", value_parser = clap::value_parser!(u64).range(1..))]
    secs: Option<u64>,
    /// A part of W6 in a process of its own
    #[arg(long, hide = true, value_enum)]
    stage: Option<Stage>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Workload {
    /// Appends of 200 bytes and a sync: one, 64 and 512 to a sync
    Raw,
    /// Workflows of 100 activities, one after the other
    #[value(name = "W1")]
    W1,
    /// Workflows of 5 activities, as many at a time as are taken
    #[value(name = "W2")]
    W2,
    /// One workflow of many activities
    #[value(name = "W5")]
    W5,
    /// Workflows that sleep for an hour; the process is killed and opened again
    #[value(name = "W6")]
    W6,
}

impl Workload {
    /// As in the results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::W1 => "W1",
            Self::W2 => "W2",
            Self::W5 => "W5",
            Self::W6 => "W6",
        }
    }

    fn usual_n(self) -> u64 {
        match self {
            Self::Raw | Self::W2 => 2_000,
            Self::W1 => 20,
            Self::W5 => 1_000,
            Self::W6 => 20_000,
        }
    }

    fn takes_concurrency(self) -> bool {
        matches!(self, Self::W2 | Self::W6)
    }

    /// Whether it is about files.
    fn needs_directory(self) -> bool {
        matches!(self, Self::Raw | Self::W6)
    }
}

/// A part of W6 in a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Starts the workflows
    Start,
    /// Opens the store after a kill
    Reopen,
    /// Looks whether all are there, and sets the clock so that one wakes
    Wake,
}

impl Stage {
    /// As on the command line and in the results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Reopen => "reopen",
            Self::Wake => "wake",
        }
    }
}

/// Options that fit each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) workload: Workload,
    pub(crate) n: u64,
    pub(crate) place: Place,
    pub(crate) concurrency: u64,
    pub(crate) secs: Option<Duration>,
    pub(crate) stage: Option<Stage>,
}

/// Callers at a time if nothing is said: enough that a sync is shared by many.
const CONCURRENCY: u64 = 512;

impl Options {
    /// Refuses what the workload does not take.
    pub(crate) fn checked(self) -> Result<Task, clap::Error> {
        let Self { workload, n, store, concurrency, secs, stage } = self;
        let name = workload.name();
        if concurrency.is_some() && !workload.takes_concurrency() {
            return Err(refused(format!("`--concurrency` is for W2 and W6; {name} has one caller")));
        }
        if secs.is_some() && workload != Workload::W2 {
            return Err(refused(format!("`--secs` is for W2; say how much of {name} with `--n`")));
        }
        if stage.is_some() && workload != Workload::W6 {
            return Err(refused(format!("`--stage` is a part of W6; {name} has none")));
        }
        let place = Place::parse(&store);
        if place.dir().is_none() && workload.needs_directory() {
            return Err(refused(format!("{name} needs a directory, `./dir`; `{store}` is none")));
        }
        Ok(Task {
            workload,
            n: n.unwrap_or(workload.usual_n()),
            place,
            concurrency: concurrency.unwrap_or(CONCURRENCY),
            secs: secs.map(Duration::from_secs),
            stage,
        })
    }
}

fn refused(why: String) -> clap::Error {
    Options::command().error(ErrorKind::ArgumentConflict, why)
}

#[cfg(test)]
mod tests;
