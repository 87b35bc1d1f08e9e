//! Due keys.

use std::ops::Bound;

use steadfast_core::{RunId, ShardId, Timestamp};
use steadfast_store::{Due, DueEntry, StoreError};

use crate::key::{Key, Table};
use crate::row::DueRow;
use crate::store::SledStore;
use crate::value;

impl SledStore {
    pub(crate) fn due_key(&self, shard: ShardId, at: Timestamp, run: RunId) -> Key {
        Key::in_shard(Table::Due, self.number, shard).number(at.as_micros()).run(run)
    }
}

impl Due for SledStore {
    fn due(
        &self,
        shard: ShardId,
        after: Option<DueEntry>,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueEntry>, StoreError> {
        let all = Key::in_shard(Table::Due, self.number, shard);
        let after = after.map(|after| self.due_key(shard, after.at, after.run));
        let start = after.as_ref().map_or(Bound::Included(all.bytes()), |key| Bound::Excluded(key.bytes()));
        // Up to and with `until`: all keys that begin with a time of at most that.
        let within = all.clone().number(until.as_micros());
        let rows = value::scan::<DueRow>(self.database()?, &within, start, limit)?;
        rows.iter().map(|(key, _)| parse(key, all.bytes().len())).collect()
    }
}

/// Reads the time and the run out of a key.
fn parse(key: &[u8], prefix: usize) -> Result<DueEntry, StoreError> {
    let wrong = || value::corrupt(Table::Due, key, "its key has the wrong length");
    let (at, run) = key.get(prefix..).and_then(|rest| rest.split_at_checked(8)).ok_or_else(wrong)?;
    let at = at.try_into().map(u64::from_be_bytes).map_err(|_| wrong())?;
    let run = run.try_into().map(RunId::from_bytes).map_err(|_| wrong())?;
    Ok(DueEntry { at: Timestamp::from_micros(at), run })
}
