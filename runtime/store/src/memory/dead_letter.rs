//! Dead letters.

use std::ops::Bound;

use steadfast_core::{EventId, RunId, ShardId};

use super::store::MemoryStore;
use crate::contract::{DeadLetterPage, DeadLetterRow, DeadLetters, StoreError};

impl DeadLetters for MemoryStore {
    fn dead_letters(
        &self,
        after: Option<(ShardId, RunId, EventId)>,
        limit: usize,
    ) -> Result<DeadLetterPage, StoreError> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        Ok(self.in_space(|space, _| {
            let rest = space.dead_letters.range((start, Bound::Unbounded));
            let mut rows: Vec<_> = rest.take(limit.saturating_add(1)).map(|(_, row)| row.clone()).collect();
            let more = rows.len() > limit;
            rows.truncate(limit);
            let last = rows.last().map(|row| (row.shard, row.run_id, row.scheduled));
            DeadLetterPage { next: if more { last.or(after) } else { None }, rows }
        }))
    }

    fn dead_letter(
        &self,
        shard: ShardId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<Option<DeadLetterRow>, StoreError> {
        Ok(self.in_space(|space, _| space.dead_letters.get(&(shard, run, scheduled)).cloned()))
    }
}
