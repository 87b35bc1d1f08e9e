//! Tasks and their claims. In one process hardly any task waits for somebody else, so the oldest are found by reading
//! the queue.

use steadfast_core::{EventId, QueueName, RunId, SessionId};
use steadfast_store::{StoreError, TaskRow, Tasks};

use super::session::failed;
use crate::key::{Key, Table};
use crate::row::Named;
use crate::store::SledStore;
use crate::value;

impl SledStore {
    pub(crate) fn task_key(&self, queue: &QueueName, run: RunId, scheduled: EventId) -> Key {
        self.queue_key(queue).run(run).number(scheduled.0)
    }

    fn queue_key(&self, queue: &QueueName) -> Key {
        Key::new(Table::Task, self.number).text(queue.as_str())
    }

    /// All tasks of a queue, the oldest first.
    fn tasks_of(&self, queue: &QueueName) -> Result<Vec<TaskRow>, StoreError> {
        let all = self.queue_key(queue);
        let found =
            value::scan::<Named<TaskRow>>(self.database()?, &all, value::from(&all, None), usize::MAX)?;
        let mut rows = Vec::with_capacity(found.len());
        for (key, row) in found {
            let row = row.belonging_to(&[queue.as_str()]);
            rows.push(row.ok_or_else(|| value::corrupt(Table::Task, &key, "it belongs to another queue"))?);
        }
        rows.sort_by_key(|row| (row.offered_at, row.run, row.scheduled));
        Ok(rows)
    }
}

impl Tasks for SledStore {
    fn claim_tasks(
        &self,
        queue: &QueueName,
        session: SessionId,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError> {
        self.write(|stage, _| {
            let mut free = self.tasks_of(queue)?;
            {
                let space = self.space();
                let claimable = space.is_live(session);
                free.retain(|row| claimable && row.claimed_by.is_none_or(|owner| !space.is_live(owner)));
            }
            free.truncate(limit);
            for row in &mut free {
                row.claimed_by = Some(session);
                let named = Named::new(&[queue.as_str()], row.clone());
                stage.put(&self.task_key(queue, row.run, row.scheduled), &named).map_err(failed)?;
                stage.close();
            }
            Ok(free)
        })
    }

    fn release_task(
        &self,
        queue: &QueueName,
        session: SessionId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<(), StoreError> {
        let key = self.task_key(queue, run, scheduled);
        self.write(|stage, _| {
            let found = stage.get::<Named<TaskRow>>(&key).map_err(failed)?;
            if let Some(mut named) = found.filter(|named| named.row.claimed_by == Some(session)) {
                named.row.claimed_by = None;
                stage.put(&key, &named).map_err(failed)?;
                stage.close();
            }
            Ok(())
        })
    }

    fn tasks(&self, queue: &QueueName, limit: usize) -> Result<Vec<TaskRow>, StoreError> {
        let mut rows = self.tasks_of(queue)?;
        rows.truncate(limit);
        Ok(rows)
    }
}
