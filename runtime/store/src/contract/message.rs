//! Messages: between runs (the inbox of a shard), and for a run that cannot be activated now (its mailbox).

use serde::{Deserialize, Serialize};
use steadfast_core::{RunId, ShardId};

use super::error::StoreError;

/// A message of one run to another; it lies in the receiver's shard, and those of one sender are read in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxRow {
    /// The sender.
    pub from: RunId,
    /// Its number among the messages of that sender to this shard.
    pub sequence: u64,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// An input that waits for its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRow {
    /// Its place in the mailbox.
    pub sequence: u64,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Reading messages.
pub trait Messages {
    /// Messages in a shard's inbox, at most `limit`, those of one sender in order. Returns what exists; there is no
    /// position to remember, so a message that was committed late is not missed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn inbox(&self, shard: ShardId, limit: usize) -> Result<Vec<InboxRow>, StoreError>;

    /// Rows of a run's mailbox in order, from sequence number `from` on, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn mail(&self, shard: ShardId, run: RunId, from: u64, limit: usize) -> Result<Vec<MailRow>, StoreError>;
}
