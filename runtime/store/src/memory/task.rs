//! Tasks and their claims.

use steadfast_core::{EventId, QueueName, RunId, SessionId};

use super::space::Space;
use super::store::MemoryStore;
use crate::contract::{StoreError, TaskRow, Tasks};

impl Tasks for MemoryStore {
    fn claim_tasks(
        &self,
        queue: &QueueName,
        session: SessionId,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError> {
        Ok(self.in_space(|space, _| {
            if !space.sessions.contains_key(&session) {
                return Vec::new();
            }
            let mut free = space.tasks_of(queue);
            free.retain(|row| row.claimed_by.is_none_or(|owner| !space.sessions.contains_key(&owner)));
            free.truncate(limit);
            for row in &mut free {
                row.claimed_by = Some(session);
                space.tasks.insert((queue.clone(), row.run, row.scheduled), row.clone());
            }
            if !free.is_empty() {
                space.count_own(free.len() as u64);
            }
            free
        }))
    }

    fn release_task(
        &self,
        queue: &QueueName,
        session: SessionId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<(), StoreError> {
        self.in_space(|space, _| {
            if let Some(row) = space.tasks.get_mut(&(queue.clone(), run, scheduled))
                && row.claimed_by == Some(session)
            {
                row.claimed_by = None;
                space.count_own(1);
            }
        });
        Ok(())
    }

    fn tasks(&self, queue: &QueueName, limit: usize) -> Result<Vec<TaskRow>, StoreError> {
        let mut rows = self.in_space(|space, _| space.tasks_of(queue));
        rows.truncate(limit);
        Ok(rows)
    }
}

impl Space {
    /// All tasks of a queue, the oldest first.
    fn tasks_of(&self, queue: &QueueName) -> Vec<TaskRow> {
        let first = (queue.clone(), RunId::from_bytes([0; 16]), EventId(0));
        let from = self.tasks.range(first..);
        let mut rows: Vec<_> =
            from.take_while(|(key, _)| key.0 == *queue).map(|(_, row)| row.clone()).collect();
        rows.sort_by_key(|row| (row.offered_at, row.run, row.scheduled));
        rows
    }
}
