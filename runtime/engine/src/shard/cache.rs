//! Which runs are in memory.

use lru::LruCache;
use steadfast_core::RunId;

use super::machine::Shard;
use super::run::LiveRun;
use crate::config::EngineConfig;

/// How many runs that cannot leave are passed over before trimming gives up until the next step.
const PASSES_MAX: usize = 8;

/// Runs in memory, those used last at the front.
#[derive(Debug)]
pub(super) struct Cache {
    runs: LruCache<RunId, LiveRun>,
    capacity: usize,
}

impl Cache {
    pub(super) fn new(capacity: usize) -> Self {
        Self { runs: LruCache::unbounded(), capacity: capacity.max(1) }
    }

    /// Takes a run out, to work on it.
    pub(super) fn take(&mut self, run: RunId) -> Option<LiveRun> {
        self.runs.pop(&run)
    }

    pub(super) fn put(&mut self, run: LiveRun) {
        drop(self.runs.put(run.id(), run));
    }

    pub(super) fn get_mut(&mut self, run: RunId) -> Option<&mut LiveRun> {
        self.runs.get_mut(&run)
    }

    pub(super) fn peek(&self, run: RunId) -> Option<&LiveRun> {
        self.runs.peek(&run)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut LiveRun> {
        self.runs.iter_mut().map(|(_, run)| run)
    }

    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// The run used longest ago, if there are too many. Those with transitions in flight stay.
    fn pop_surplus(&mut self) -> Option<LiveRun> {
        for _ in 0..PASSES_MAX {
            if self.runs.len() <= self.capacity {
                return None;
            }
            let (run, live) = self.runs.pop_lru()?;
            if live.in_flight == 0 {
                return Some(live);
            }
            self.runs.put(run, live);
        }
        None
    }
}

impl Shard {
    /// Lets go of runs that are too many.
    pub(super) fn trim(&mut self) {
        while let Some(run) = self.cache.pop_surplus() {
            self.let_go(run);
        }
    }

    /// A run whose transitions are all durable leaves memory. Its destructors issue nothing.
    fn let_go(&mut self, run: LiveRun) {
        self.wheel.leave(run.id(), run.head.due);
        drop(run);
        self.shared.config.fail_point("evicted");
    }

    /// Under the test mode that never keeps a run: lets go of one that stands still.
    pub(super) fn evict_if_asked(&mut self, run: RunId) {
        if !self.shared.config.evict_always {
            return;
        }
        let may_leave = self.cache.peek(run).is_some_and(|live| {
            live.in_flight == 0 && live.head.last_event.0 <= EngineConfig::EVICT_EVENTS_MAX
        });
        if may_leave && let Some(run) = self.cache.take(run) {
            self.let_go(run);
        }
    }
}
