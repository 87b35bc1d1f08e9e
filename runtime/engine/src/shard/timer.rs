//! What the time has come for: timers, retry waits, timeouts, delayed starts, blocked runs.

use steadfast_core::machine::TaskEvent;
use steadfast_core::{EventId, RunId, Timestamp};
use steadfast_store::{DueEntry, StoreError};

use super::load::Opened;
use super::machine::{Phase, Shard};
use super::work::Work;
use crate::head::ItemBody;
use crate::wheel::{WINDOW, WINDOW_ENTRIES};

/// How many runs are looked at in one step, so that messages are not kept waiting.
const RUNS_PER_STEP: usize = 64;

impl Shard {
    /// Looks at the runs whose time has come, some in each step.
    pub(super) fn turn_wheel(&mut self) -> Result<(), StoreError> {
        if self.phase == Phase::Live
            && let Some(after) = self.wheel.wants_reading(self.now(), self.moment.wall)
        {
            self.read_window(after)?;
        }
        for _ in 0..RUNS_PER_STEP {
            let Some(run) = self.wheel.pop(self.now(), self.moment.wall) else { return Ok(()) };
            self.run_due(run)?;
        }
        Ok(())
    }

    /// Reads due keys up to a window ahead of now.
    pub(super) fn read_window(&mut self, after: Option<DueEntry>) -> Result<(), StoreError> {
        let until = self.now().max(self.moment.wall).after(WINDOW);
        let keys = self.shared.store.due(self.id, after, until, WINDOW_ENTRIES)?;
        let is_full = keys.len() == WINDOW_ENTRIES;
        let horizon = match keys.last() {
            Some(last) if is_full => *last,
            _ => DueEntry { at: until, run: RunId::from_bytes([0xff; 16]) },
        };
        for key in keys {
            self.wheel.note(key);
        }
        let has_beyond = is_full || self.shared.store.next_due(self.id, Some(horizon))?.is_some();
        self.wheel.reached(horizon, has_beyond);
        Ok(())
    }

    fn run_due(&mut self, run: RunId) -> Result<(), StoreError> {
        let Opened::Run(mut work) = self.open(run)? else { return Ok(()) };
        if work.run.is_closed() {
            self.put_back(work.run);
            return Ok(());
        }
        self.expire(&mut work)?;
        if work.run.fields.starts_at.is_some_and(|at| at <= self.now()) {
            work.run.fields.starts_at = None;
            work.is_changed = true;
            self.open_mailbox(&mut work);
        }
        if work.run.retry.at.is_some_and(|at| at <= self.now()) {
            work.run.retry.at = None;
            self.unblock(&mut work)?;
        }
        self.process(&mut work)?;
        self.submit(*work);
        Ok(())
    }

    /// Lets every passed deadline of a run have its effect, in order of time.
    pub(super) fn expire(&mut self, work: &mut Work) -> Result<(), StoreError> {
        let (now, wall) = (self.now(), self.moment.wall);
        let passed = |set: &std::collections::BTreeSet<(Timestamp, EventId)>, until: Timestamp| {
            set.iter().take_while(|(at, _)| *at <= until).copied().collect::<Vec<_>>()
        };
        let mut due = passed(&work.run.by_engine, now);
        due.extend(passed(&work.run.by_wall, wall));
        due.sort_unstable();
        for (_, id) in due {
            self.expire_item(work, id)?;
        }
        let own = work.run.fields.deadline.as_ref().filter(|own| own.at <= now);
        if let Some(cause) = own.map(|own| own.cause.clone()) {
            // Inputs that were there in time are admitted first.
            self.process(work)?;
            self.impose(work, cause);
        }
        Ok(())
    }

    fn expire_item(&mut self, work: &mut Work, id: EventId) -> Result<(), StoreError> {
        let (at, draw) = (self.now(), self.random.draw());
        let Some(item) = work.run.items.get_mut(&id) else { return Ok(()) };
        let outcome = match &mut item.body {
            ItemBody::Timer(_) => {
                work.remove_item(id);
                work.arrive(steadfast_core::history::TimerFired { started: id });
                return Ok(());
            }
            ItemBody::Task(item) => item.task.apply(TaskEvent::Tick { at, draw }),
        };
        match outcome {
            Ok(outcome) => self.follow_task(work, id, outcome),
            Err(refused) => {
                tracing::error!(%id, %refused, "a deadline does not fit its task");
                Ok(())
            }
        }
    }
}
