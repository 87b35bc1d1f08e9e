//! The near timers of a shard.
//!
//! A run whose due key lies beyond the horizon is not in the wheel unless it is in memory for another reason, so
//! what sleeps for long costs no memory. The horizon moves on by reading the due index in windows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use steadfast_core::{RunId, Timestamp};
use steadfast_store::DueEntry;

/// How far ahead the due index is read.
pub(crate) const WINDOW: Duration = Duration::from_secs(300);
/// How many due keys are read at a time.
pub(crate) const WINDOW_ENTRIES: usize = 1_024;
/// How often deadlines of the wall clock are looked at: it may be set at any moment.
const WALL_CHECK: Duration = Duration::from_secs(1);

/// When a run has to be looked at next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Deadlines {
    /// By engine time.
    pub(crate) engine: Option<Timestamp>,
    /// By the wall clock.
    pub(crate) wall: Option<Timestamp>,
}

/// The near timers of a shard.
#[derive(Debug, Default)]
pub(crate) struct Wheel {
    runs: BTreeMap<RunId, Deadlines>,
    engine: BTreeSet<(Timestamp, RunId)>,
    wall: BTreeSet<(Timestamp, RunId)>,
    /// Everything up to here is in the wheel; `None` before the first reading.
    horizon: Option<DueEntry>,
    /// Whether the due index holds something beyond the horizon at all.
    has_beyond: bool,
}

impl Wheel {
    /// Sets when a run has to be looked at next.
    pub(crate) fn set(&mut self, run: RunId, deadlines: Deadlines) {
        let old = self.runs.get(&run).copied().unwrap_or_default();
        if old == deadlines {
            return;
        }
        self.drop_entries(run, old);
        if deadlines == Deadlines::default() {
            self.runs.remove(&run);
            return;
        }
        if let Some(at) = deadlines.engine {
            self.engine.insert((at, run));
        }
        if let Some(at) = deadlines.wall {
            self.wall.insert((at, run));
        }
        self.runs.insert(run, deadlines);
    }

    fn drop_entries(&mut self, run: RunId, old: Deadlines) {
        if let Some(at) = old.engine {
            self.engine.remove(&(at, run));
        }
        if let Some(at) = old.wall {
            self.wall.remove(&(at, run));
        }
    }

    /// A run leaves memory: it is forgotten here too if the due index will bring it back in time.
    pub(crate) fn leave(&mut self, run: RunId, due: Option<Timestamp>) {
        let Some(due) = due else { return };
        if self.is_beyond(DueEntry { at: due, run }) {
            self.set(run, Deadlines::default());
            self.has_beyond = true;
        }
    }

    fn is_beyond(&self, entry: DueEntry) -> bool {
        self.horizon.is_some_and(|horizon| entry > horizon)
    }

    /// A due key was read of a run that is not in memory. Nobody knows yet which clock it follows.
    pub(crate) fn note(&mut self, entry: DueEntry) {
        if !self.runs.contains_key(&entry.run) {
            self.set(entry.run, Deadlines { engine: Some(entry.at), wall: Some(entry.at) });
        }
    }

    /// Takes a run whose time has come by either clock.
    pub(crate) fn pop(&mut self, now: Timestamp, wall: Timestamp) -> Option<RunId> {
        let by_engine = self.engine.first().filter(|(at, _)| *at <= now);
        let by_wall = self.wall.first().filter(|(at, _)| *at <= wall);
        let (_, run) = *by_engine.or(by_wall)?;
        self.set(run, Deadlines::default());
        Some(run)
    }

    /// Where the reading of the due index goes on, if it has to by now. What lies beyond the horizon may follow either
    /// clock.
    pub(crate) fn wants_reading(&self, now: Timestamp, wall: Timestamp) -> Option<Option<DueEntry>> {
        let (at, horizon) = self.reading()?;
        (at <= now.max(wall)).then_some(Some(horizon))
    }

    /// When the reading of the due index goes on, and where, if there is more to read.
    fn reading(&self) -> Option<(Timestamp, DueEntry)> {
        let horizon = self.horizon.filter(|_| self.has_beyond)?;
        // Half a window ahead, so that nothing becomes due unseen.
        let at = Timestamp::from_micros(horizon.at.as_micros().saturating_sub(HALF_WINDOW_MICROS));
        Some((at, horizon))
    }

    /// The due index was read up to `horizon`; `has_beyond` if it goes on there.
    pub(crate) fn reached(&mut self, horizon: DueEntry, has_beyond: bool) {
        self.horizon = Some(horizon);
        self.has_beyond = has_beyond;
    }

    /// When something has to be done next, by engine time.
    pub(crate) fn next(&self, now: Timestamp, wall: Timestamp) -> Option<Timestamp> {
        let by_engine = self.engine.first().map(|(at, _)| *at);
        let by_wall = self.wall.first().map(|(at, _)| now.after(at.since(wall).min(WALL_CHECK)));
        // The wall clock may be set to a time at which something is due that nobody has read yet.
        let by_index = self.reading().map(|(at, _)| at.min(now.after(at.since(wall).min(WALL_CHECK))));
        [by_engine, by_wall, by_index].into_iter().flatten().min()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

const HALF_WINDOW_MICROS: u64 = 150_000_000;

#[cfg(test)]
mod tests;
