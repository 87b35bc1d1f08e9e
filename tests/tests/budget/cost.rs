//! Counting.

use anyhow::{Context as _, ensure};
use steadfast::store::{StoreStats, Write};
use steadfast_tests::kit::{Bed, StoreKind, TestResult};

/// What was counted when, of one engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    stats: StoreStats,
    commits: usize,
}

/// What was written since a mark.
#[derive(Debug)]
pub(crate) struct Cost {
    pub(crate) stats: StoreStats,
    /// The keys of each commit, as they were handed to the store.
    pub(crate) commits: Vec<Vec<Write>>,
}

impl Mark {
    pub(crate) fn now(bed: &Bed) -> TestResult<Self> {
        let store = bed.gate().store().context("the store is closed")?;
        Ok(Self { stats: store.stats(), commits: bed.gate().commits().len() })
    }

    /// What was written since; what the store counts is what it was handed.
    pub(crate) fn cost(self, bed: &Bed) -> TestResult<Cost> {
        let now = Self::now(bed)?;
        let stats = now.stats.since(&self.stats);
        let commits: Vec<Vec<Write>> = bed.gate().commits()[self.commits..now.commits]
            .iter()
            .map(|commit| commit.group.transitions.iter().flat_map(|one| one.writes.clone()).collect())
            .collect();
        let handed: u64 = commits.iter().map(|writes| writes.len() as u64).sum();
        ensure!(stats.groups == commits.len() as u64, "{stats:?}, {} commits", commits.len());
        // A large value on a disk is several keys; the runs of these tests are small unless they say so.
        ensure!(stats.keys() >= handed, "{stats:?}, {handed} were handed over");
        if bed.kind() == StoreKind::Memory {
            ensure!(stats.keys() == handed, "{stats:?}, {handed} were handed over");
        }
        Ok(Cost { stats, commits })
    }
}

impl Cost {
    pub(crate) fn keys(&self) -> u64 {
        self.stats.keys()
    }
}

/// The kinds of keys, for people.
pub(crate) fn kinds(writes: &[Write]) -> Vec<&'static str> {
    let kind = |write: &Write| match write {
        Write::PutHead(_) => "head",
        Write::AppendHistory { .. } => "history",
        Write::PutItem { .. } => "item",
        Write::DeleteItem { .. } => "-item",
        Write::PutCurrent { .. } => "current",
        Write::PutRequest { .. } => "request",
        Write::PutDue { .. } => "due",
        Write::DeleteDue { .. } => "-due",
        Write::PutListing(_) => "listing",
        Write::DeleteListing { .. } => "-listing",
        Write::PutMail { .. } => "mail",
        Write::DeleteMail { .. } => "-mail",
        Write::PutMessage { .. } => "message",
        Write::DeleteMessage { .. } => "-message",
        Write::PutTask { .. } => "task",
        Write::DeleteTask { .. } => "-task",
        Write::PutDeadLetter(_) => "dead letter",
        Write::DeleteDeadLetter { .. } => "-dead letter",
        Write::PutBreaker(_) => "breaker",
    };
    let mut kinds: Vec<&'static str> = writes.iter().map(kind).collect();
    kinds.sort_unstable();
    kinds
}

/// Prints a figure, for people; it is shown with `--nocapture`.
#[expect(clippy::print_stdout, reason = "figures are printed, and never asserted on as text")]
pub(crate) fn show(line: impl std::fmt::Display) {
    println!("{line}");
}
