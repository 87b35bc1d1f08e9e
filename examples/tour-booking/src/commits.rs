//! Counts the commits of a worker process, and holds it still at the one after which it is to be killed.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::report::Report;

/// The engine's name for the moment when a commit is on disk and nobody has been told of it.
const COMMITTED: &str = "after-commit-before-ack";

/// The commits of this process.
#[derive(Debug)]
pub(crate) struct Commits {
    made: AtomicU64,
    last: Option<u64>,
}

impl Commits {
    /// Counts from now on. The process stands still at the last commit, if there is one.
    pub(crate) fn until(last: Option<u64>) -> Self {
        Self { made: AtomicU64::new(0), last }
    }

    pub(crate) fn made(&self) -> u64 {
        self.made.load(Ordering::Acquire)
    }

    /// Called by the engine at each of its named points, on the thread that does the work.
    ///
    /// At the last commit it reports and never returns: the thread that commits is stuck, so nothing follows, however
    /// long the kill takes to come.
    pub(crate) fn at(&self, point: &str) {
        if point != COMMITTED {
            return;
        }
        let commit = self.made.fetch_add(1, Ordering::AcqRel) + 1;
        if self.last != Some(commit) {
            return;
        }
        if (Report::Reached { commit }).print().is_err() {
            // Whoever should kill this process is gone.
            process::exit(1);
        }
        loop {
            thread::park();
        }
    }
}
