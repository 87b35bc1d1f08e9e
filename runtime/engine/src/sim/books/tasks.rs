//! Open activities and steps: one grant at a time, numbers that rise, nobody ended but for a reason.

use std::collections::BTreeMap;

use steadfast_core::machine::{Task, TaskState};
use steadfast_core::{AttemptError, EventId, SessionId};

use super::book::Books;
use super::run::RunBook;
use crate::head::ItemBody;

fn task_of(item: Option<&ItemBody>) -> Option<&Task> {
    match item? {
        ItemBody::Task(item) => Some(&item.task),
        ItemBody::Timer(_) => None,
    }
}

impl Books {
    /// Compares the open tasks of a run with what they were before a transition of `owner`.
    pub(super) fn check_tasks(
        &mut self,
        run: &RunBook,
        before: &BTreeMap<EventId, ItemBody>,
        owner: SessionId,
    ) -> Result<(), String> {
        let now = run.items();
        for (id, item) in &now {
            let Some(task) = task_of(Some(item)) else { continue };
            if let Some(beat) = task.details.as_ref().and_then(|details| details.decode::<u64>().ok()) {
                self.beats.insert(beat);
            }
            let old = task_of(before.get(id));
            self.check_task(run, old, task, owner).map_err(|problem| format!("activity {id}: {problem}"))?;
        }
        Ok(())
    }

    fn check_task(
        &mut self,
        run: &RunBook,
        old: Option<&Task>,
        new: &Task,
        owner: SessionId,
    ) -> Result<(), String> {
        let before = old.map_or(0, |old| old.attempt);
        if new.attempt < before || new.attempt > before + 1 {
            return Err(format!("attempt {} follows attempt {before}", new.attempt));
        }
        if let Some(old) = old {
            self.check_attempt_over(run, old, new)?;
        }
        let TaskState::Running { session, since, .. } = new.state else { return Ok(()) };
        let key = run.key(new.item, new.attempt);
        if new.attempt == before {
            return match self.grants.get(&key) {
                Some(granted) if *granted == session => Ok(()),
                granted => Err(format!("attempt {} runs in {session}, granted to {granted:?}", key.attempt)),
            };
        }
        if session != owner {
            return Err(format!("session {owner} grants attempt {} to session {session}", key.attempt));
        }
        if let Some(TaskState::RetryWait { until }) = old.map(|old| &old.state)
            && since < *until
        {
            return Err(format!("attempt {} begins at {since}, before {until}", key.attempt));
        }
        match self.grants.insert(key, session) {
            None => Ok(()),
            Some(other) => Err(format!("attempt {} is granted twice, first to {other}", key.attempt)),
        }
    }

    /// An attempt that ran and does not run any more has ended, for a reason.
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else it is, a body has to have said so")]
    fn check_attempt_over(&self, run: &RunBook, old: &Task, new: &Task) -> Result<(), String> {
        let TaskState::Running { session, .. } = old.state else { return Ok(()) };
        let goes_on = matches!(new.state, TaskState::Running { .. }) && new.attempt == old.attempt;
        if goes_on {
            return Ok(());
        }
        let Some(failure) = new.failures.iter().rev().find(|failure| failure.attempt == old.attempt) else {
            return Err(format!("attempt {} does not run any more and has not ended", old.attempt));
        };
        let key = run.key(new.item, old.attempt);
        match &failure.error {
            AttemptError::WorkerLost if !self.has_ended(session) => {
                Err(format!("attempt {} is lost with session {session}, which lives", old.attempt))
            }
            AttemptError::WorkerLost | AttemptError::TimedOut(_) | AttemptError::Cancelled => Ok(()),
            error => (self.has_reported(key, &Err(error.clone())).then_some(()))
                .ok_or_else(|| format!("attempt {} did not fail with {error}", old.attempt)),
        }
    }
}
