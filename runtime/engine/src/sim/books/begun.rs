//! Bodies that begin: after their grant, once, where it was granted, and not after their end.

use steadfast_core::SessionId;
use steadfast_core::machine::TaskState;

use super::book::Books;
use crate::activity::{AttemptInfo, AttemptKey};

impl Books {
    /// An engine begins a body.
    pub(in super::super) fn begin(
        &mut self,
        key: AttemptKey,
        info: &AttemptInfo,
        by: Option<SessionId>,
    ) -> Result<(), String> {
        let name = super::super::digest::name(key);
        let Some(granted) = self.grants.get(&key).copied() else {
            return Err(format!("{name} begins, and its grant is not stored"));
        };
        if by != Some(granted) {
            return Err(format!("{name} begins in {by:?}, and it was granted to session {granted}"));
        }
        if !self.begun.insert(key) {
            return Err(format!("{name} begins a second time"));
        }
        let Some(run) = self.runs.get(&key.run) else { return Err(format!("{name} belongs to no run")) };
        if let Some((_, scheduled)) = run.scheduled(key.item)
            && (scheduled.idempotency_key != info.idempotency_key || scheduled.activity != info.activity)
        {
            return Err(format!("{name} begins with key {}", info.idempotency_key));
        }
        if info.attempt != key.attempt || info.run_id != key.run || info.scheduled != key.item {
            return Err(format!("{name} is told that it is {info:?}"));
        }
        // An engine that was replaced cannot know; its body finds the key taken, and its result is refused.
        if self.has_ended(granted) {
            return Ok(());
        }
        match run.task(key.item) {
            Some(task) if task.attempt == key.attempt && matches!(task.state, TaskState::Running { .. }) => {
                Ok(())
            }
            task => Err(format!("{name} begins although it is over: {task:?}")),
        }
    }
}
