//! Tasks: attempts offered to engines that do not own the run's shard.

use serde::{Deserialize, Serialize};
use steadfast_core::{EventId, QueueName, RunId, SessionId, ShardId, Timestamp};

use super::error::StoreError;

/// An attempt that somebody may claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// The run's shard, where the result goes.
    pub shard: ShardId,
    /// The run.
    pub run: RunId,
    /// The `ActivityScheduled`.
    pub scheduled: EventId,
    /// The number of the attempt.
    pub attempt: u32,
    /// When it was offered: older ones are claimed first.
    pub offered_at: Timestamp,
    /// Who claimed it. A claim of a session that has ended is void.
    pub claimed_by: Option<SessionId>,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Claiming tasks.
pub trait Tasks {
    /// Claims up to `limit` tasks of a queue that are unclaimed or claimed by a session that has ended, the oldest
    /// first. Two claims never get the same task. A session that has ended gets none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn claim_tasks(
        &self,
        queue: &QueueName,
        session: SessionId,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError>;

    /// Gives a claimed task back. Nothing happens if it is not `session`'s.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn release_task(
        &self,
        queue: &QueueName,
        session: SessionId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<(), StoreError>;

    /// Tasks of a queue, claimed or not, the oldest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn tasks(&self, queue: &QueueName, limit: usize) -> Result<Vec<TaskRow>, StoreError>;
}
