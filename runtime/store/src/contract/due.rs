//! Due keys: which runs have something to do, and when. Timer index and recovery index in one.

use steadfast_core::{RunId, ShardId, Timestamp};

use super::error::StoreError;

/// One due key; ordered by time, then by run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueEntry {
    /// When; [`Timestamp::ZERO`] is at once.
    pub at: Timestamp,
    /// The run.
    pub run: RunId,
}

/// Reading due keys.
pub trait Due {
    /// Keys after `after` with a time of at most `until`, in order, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn due(
        &self,
        shard: ShardId,
        after: Option<DueEntry>,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueEntry>, StoreError>;

    /// The first key after `after`, however late.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn next_due(&self, shard: ShardId, after: Option<DueEntry>) -> Result<Option<DueEntry>, StoreError> {
        Ok(self.due(shard, after, Timestamp::MAX, 1)?.pop())
    }
}
