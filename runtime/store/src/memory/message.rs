//! The inbox of a shard and the mailbox of a run.

use steadfast_core::{RunId, ShardId};

use super::store::MemoryStore;
use crate::contract::{InboxRow, MailRow, Messages, StoreError};

impl Messages for MemoryStore {
    fn inbox(&self, shard: ShardId, limit: usize) -> Result<Vec<InboxRow>, StoreError> {
        let (first, last) = (RunId::from_bytes([0; 16]), RunId::from_bytes([u8::MAX; 16]));
        Ok(self.in_space(|space, _| {
            let rows = space.inbox.range((shard, first, 0)..=(shard, last, u64::MAX));
            rows.take(limit).map(|(_, row)| row.clone()).collect()
        }))
    }

    fn mail(&self, shard: ShardId, run: RunId, from: u64, limit: usize) -> Result<Vec<MailRow>, StoreError> {
        Ok(self.in_space(|space, _| {
            let rows = space.mail.range((shard, run, from)..=(shard, run, u64::MAX));
            rows.take(limit).map(|(_, row)| row.clone()).collect()
        }))
    }
}
