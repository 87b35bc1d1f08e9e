//! Reading runs.

use std::ops::Bound;

use steadfast_core::{EventId, RunId, ShardId, WorkflowId};
use steadfast_store::{CurrentRow, HistoryRecord, ItemRow, RunHead, Runs, StoreError};

use crate::key::{Key, Table};
use crate::row::Named;
use crate::store::SledStore;
use crate::value;

impl SledStore {
    /// The beginning of all keys of a run in a table.
    pub(crate) fn run_key(&self, table: Table, shard: ShardId, run: RunId) -> Key {
        Key::in_shard(table, self.number, shard).run(run)
    }

    pub(crate) fn current_key(&self, shard: ShardId, workflow: &WorkflowId) -> Key {
        Key::in_shard(Table::Current, self.number, shard).text(workflow.as_str())
    }
}

impl Runs for SledStore {
    fn head(&self, shard: ShardId, run: RunId) -> Result<Option<RunHead>, StoreError> {
        value::get(self.database()?, &self.run_key(Table::Head, shard, run))
    }

    fn history(
        &self,
        shard: ShardId,
        run: RunId,
        from: EventId,
        limit: usize,
    ) -> Result<Vec<HistoryRecord>, StoreError> {
        let database = self.database()?;
        let all = self.run_key(Table::History, shard, run);
        let exact = all.clone().number(from.0);
        // The event may stand in the middle of a record that begins earlier.
        let holding =
            value::last::<HistoryRecord>(database, &all, &exact)?.filter(|record| record.last() >= from);
        let start = holding.map_or(from, |record| record.first);
        let start = all.clone().number(start.0);
        let rows = value::scan(database, &all, Bound::Included(start.bytes()), limit)?;
        Ok(rows.into_iter().map(|(_, record)| record).collect())
    }

    fn items(
        &self,
        shard: ShardId,
        run: RunId,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<ItemRow>, StoreError> {
        let all = self.run_key(Table::Item, shard, run);
        let after = after.map(|after| all.clone().number(after.0));
        let rows = value::scan(self.database()?, &all, value::from(&all, after.as_ref()), limit)?;
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    fn current(&self, shard: ShardId, workflow: &WorkflowId) -> Result<Option<CurrentRow>, StoreError> {
        let key = self.current_key(shard, workflow);
        let Some(found) = value::get::<Named<CurrentRow>>(self.database()?, &key)? else { return Ok(None) };
        let row = found.belonging_to(&[workflow.as_str()]);
        row.map(Some).ok_or_else(|| value::corrupt(key.table, key.bytes(), "it belongs to another workflow"))
    }
}
