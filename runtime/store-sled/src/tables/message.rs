//! The inbox of a shard and the mailbox of a run.

use std::ops::Bound;

use steadfast_core::{RunId, ShardId};
use steadfast_store::{InboxRow, MailRow, Messages, StoreError};

use crate::key::{Key, Table};
use crate::store::SledStore;
use crate::value;

impl Messages for SledStore {
    fn inbox(&self, shard: ShardId, limit: usize) -> Result<Vec<InboxRow>, StoreError> {
        let all = Key::in_shard(Table::Inbox, self.number, shard);
        let rows = value::scan(self.database()?, &all, value::from(&all, None), limit)?;
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    fn mail(&self, shard: ShardId, run: RunId, from: u64, limit: usize) -> Result<Vec<MailRow>, StoreError> {
        let all = self.run_key(Table::Mail, shard, run);
        let start = all.clone().number(from);
        let rows = value::scan(self.database()?, &all, Bound::Included(start.bytes()), limit)?;
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}
