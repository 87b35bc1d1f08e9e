//! Reading runs.

use std::ops::Bound;

use steadfast_core::{EventId, RunId, ShardId, WorkflowId};

use super::store::MemoryStore;
use crate::contract::{CurrentRow, HistoryRecord, ItemRow, RunHead, Runs, StoreError};

const LAST: EventId = EventId(u64::MAX);

impl Runs for MemoryStore {
    fn head(&self, shard: ShardId, run: RunId) -> Result<Option<RunHead>, StoreError> {
        Ok(self.in_space(|space, _| space.heads.get(&(shard, run)).cloned()))
    }

    fn history(
        &self,
        shard: ShardId,
        run: RunId,
        from: EventId,
        limit: usize,
    ) -> Result<Vec<HistoryRecord>, StoreError> {
        Ok(self.in_space(|space, _| {
            let whole = (shard, run, EventId(0))..=(shard, run, from);
            let holding = space.history.range(whole).next_back();
            let start = holding.filter(|(_, record)| record.last() >= from).map_or(from, |(key, _)| key.2);
            let rest = space.history.range((shard, run, start)..=(shard, run, LAST));
            rest.take(limit).map(|(_, record)| record.clone()).collect()
        }))
    }

    fn items(
        &self,
        shard: ShardId,
        run: RunId,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<ItemRow>, StoreError> {
        let start = match after {
            Some(after) => Bound::Excluded((shard, run, after)),
            None => Bound::Included((shard, run, EventId(0))),
        };
        Ok(self.in_space(|space, _| {
            let rows = space.items.range((start, Bound::Included((shard, run, LAST))));
            rows.take(limit).map(|(_, row)| row.clone()).collect()
        }))
    }

    fn current(&self, shard: ShardId, workflow: &WorkflowId) -> Result<Option<CurrentRow>, StoreError> {
        Ok(self.in_space(|space, _| space.current.get(&(shard, workflow.clone())).cloned()))
    }
}
