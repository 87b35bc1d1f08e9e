//! Due keys.

use std::ops::Bound;

use steadfast_core::{RunId, ShardId, Timestamp};

use super::store::MemoryStore;
use crate::contract::{Due, DueEntry, StoreError};

impl Due for MemoryStore {
    fn due(
        &self,
        shard: ShardId,
        after: Option<DueEntry>,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueEntry>, StoreError> {
        let first = DueEntry { at: Timestamp::ZERO, run: RunId::from_bytes([0; 16]) };
        let start = match after {
            Some(after) => Bound::Excluded((shard, after)),
            None => Bound::Included((shard, first)),
        };
        Ok(self.in_space(|space, _| {
            let rest =
                space.due.range((start, Bound::Unbounded)).map(|(in_shard, entry)| (*in_shard, *entry));
            let due = rest.take_while(|(in_shard, entry)| *in_shard == shard && entry.at <= until);
            due.take(limit).map(|(_, entry)| entry).collect()
        }))
    }
}
