//! Recovery: only runs that have something to do are read, and their attempts are sorted out.

use std::collections::BTreeSet;

use steadfast_core::machine::{TaskEvent, TaskState};
use steadfast_core::{AttemptError, EventId, RunId, SessionId};
use steadfast_store::{DueEntry, StoreError};

use super::load::Opened;
use super::machine::{AttemptEntry, AttemptPhase, Phase, Shard};
use super::work::Work;
use crate::activity::AttemptKey;

/// How many runs are recovered in one step, so that messages are not kept waiting.
const RUNS_PER_STEP: usize = 64;

impl Shard {
    /// Begins to read what has something to do.
    pub(super) fn begin_recovery(&mut self) {
        // A shard that was idle has dropped nothing: what it has granted so far is on its way to the store.
        if self.phase != Phase::Idle {
            for entry in self.attempts.values_mut() {
                (entry.is_confirmed, entry.is_ending) = (false, false);
            }
        }
        self.phase = Phase::Recovering { after: None };
        self.shared.config.fail_point("recovering");
    }

    /// Recovers some runs whose due key is at once or has passed.
    pub(super) fn recover_some(&mut self, after: Option<DueEntry>) -> Result<(), StoreError> {
        let until = self.now().max(self.moment.wall);
        let keys = self.shared.store.due(self.id, after, until, RUNS_PER_STEP)?;
        let is_last = keys.len() < RUNS_PER_STEP;
        let reached = keys.last().copied().or(after);
        let alive: BTreeSet<SessionId> = if keys.is_empty() {
            BTreeSet::new()
        } else {
            self.shared.store.sessions()?.into_iter().map(|session| session.id).collect()
        };
        for key in keys {
            self.recover(key.run, &alive)?;
        }
        self.phase = Phase::Recovering { after: reached };
        if is_last {
            self.end_recovery(reached)?;
        }
        Ok(())
    }

    fn end_recovery(&mut self, reached: Option<DueEntry>) -> Result<(), StoreError> {
        self.drop_unconfirmed();
        // What was recovered is in memory or has its place in the wheel; what is due later is read in windows.
        self.read_window(reached)?;
        self.phase = Phase::Live;
        self.check_waiters()?;
        self.settle_given_up()
    }

    fn recover(&mut self, run: RunId, alive: &BTreeSet<SessionId>) -> Result<(), StoreError> {
        let Opened::Run(mut work) = self.open(run)? else { return Ok(()) };
        if work.run.is_closed() {
            self.put_back(work.run);
            return Ok(());
        }
        let mut finished = Vec::new();
        let tasks: Vec<EventId> = work.run.items.keys().copied().collect();
        for id in tasks {
            self.recover_task(&mut work, id, alive, &mut finished)?;
        }
        if work.run.fields.blocked.is_some() {
            self.unblock(&mut work)?;
        }
        // What ran out while nobody looked is not begun.
        self.expire(&mut work)?;
        self.place_all(&mut work)?;
        self.process(&mut work)?;
        self.submit(*work);
        for key in finished {
            let phase = self.attempts.get(&key).map(|entry| entry.phase.clone());
            if let Some(AttemptPhase::Finished { result, details }) = phase {
                self.attempt_ended(key, result, details)?;
            }
        }
        Ok(())
    }

    fn recover_task(
        &mut self,
        work: &mut Work,
        id: EventId,
        alive: &BTreeSet<SessionId>,
        finished: &mut Vec<AttemptKey>,
    ) -> Result<(), StoreError> {
        let Some(task) = work.run.task(id) else { return Ok(()) };
        let TaskState::Running { session, .. } = task.state else { return Ok(()) };
        let key = self.key(&work.run, task);
        if session == self.session
            && let Some(entry) = self.attempts.get_mut(&key)
        {
            if std::mem::replace(&mut entry.is_confirmed, true) {
                // It was granted since, and begins with the acknowledgement of its grant.
                return Ok(());
            }
            match entry.phase {
                // The store has the grant, and nothing of the time before is on its way any more.
                AttemptPhase::Granted if !entry.is_ending => return self.begin_again(&mut work.run, key),
                AttemptPhase::Granted | AttemptPhase::Begun => {}
                AttemptPhase::Finished { .. } => finished.push(key),
            }
            return Ok(());
        }
        if session != self.session && alive.contains(&session) {
            // Its body goes on where it runs.
            return Ok(());
        }
        let (at, draw) = (self.now(), self.random.draw());
        let attempt = key.attempt;
        let lost = TaskEvent::Ended { attempt, result: Err(AttemptError::WorkerLost), at, draw };
        match work.run.task_mut(id).map(|task| task.apply(lost)) {
            Some(Ok(outcome)) => self.follow_task(work, id, outcome),
            Some(Err(_)) | None => Ok(()),
        }
    }

    /// Attempts that the store knows nothing of: their grant was lost with the shard's memory. One whose end came
    /// meanwhile is not among them: if that end is not stored after all, its result is told once more.
    fn drop_unconfirmed(&mut self) {
        let is_lost = |entry: &AttemptEntry| !entry.is_confirmed && !entry.is_ending;
        let lost: Vec<AttemptKey> =
            self.attempts.iter().filter(|(_, entry)| is_lost(entry)).map(|(key, _)| *key).collect();
        for key in lost {
            let Some(entry) = self.attempts.remove(&key) else { continue };
            if matches!(entry.phase, AttemptPhase::Begun) {
                self.drop_body(key);
            }
            self.give_up_slot(entry.slot);
        }
    }
}
