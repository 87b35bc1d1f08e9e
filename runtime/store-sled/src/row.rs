//! Rows to bodies and back. The rows of the contract are stored as they are: they are frozen, and a change to one of
//! them is a new version here. `tests/format.rs` holds their bytes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use steadfast_core::codec::{self, CodecError};
use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};
use steadfast_store::{
    BreakerRow, CurrentRow, DeadLetterRow, HistoryRecord, InboxRow, ItemRow, ListingRow, MailRow, RequestRow,
    RunHead, ShardRow, TaskRow,
};

use crate::key::{Table, is_digested};

/// A row with its table and the version of its form.
pub(crate) trait Row: Serialize + DeserializeOwned {
    const TABLE: Table;
    const VERSION: u8 = 1;
}

macro_rules! rows {
    ($($row:ty => $table:ident,)*) => {
        $(impl Row for $row { const TABLE: Table = Table::$table; })*
    };
}

rows! {
    FormatRow => Format,
    Named<NamespaceRow> => Namespace,
    ProgressRow => Progress,
    OwnerRow => Shard,
    RunHead => Head,
    HistoryRecord => History,
    ItemRow => Item,
    Named<CurrentRow> => Current,
    Named<RequestRow> => Request,
    DueRow => Due,
    ListingRow => Listing,
    MailRow => Mail,
    InboxRow => Inbox,
    Named<TaskRow> => Task,
    DeadLetterRow => DeadLetter,
    BreakerRow => Breaker,
}

/// Says that the database is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FormatRow {
    pub(crate) format: u8,
}

/// A namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamespaceRow {
    /// What stands for it in keys.
    pub(crate) number: u16,
    pub(crate) shard_count: u16,
}

/// How far a namespace is; rewritten by every group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProgressRow {
    /// How many groups were stored.
    pub(crate) commits: u64,
    /// The highest engine time of a group.
    pub(crate) last_time: Timestamp,
    /// The last session id given out.
    pub(crate) last_session: SessionId,
}

/// The owner of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnerRow {
    pub(crate) epoch: Epoch,
    pub(crate) owner: Option<SessionId>,
}

impl OwnerRow {
    pub(crate) fn of(row: &ShardRow) -> Self {
        Self { epoch: row.epoch, owner: row.owner }
    }

    pub(crate) fn at(self, shard: ShardId) -> ShardRow {
        ShardRow { shard, epoch: self.epoch, owner: self.owner }
    }
}

/// A due key says everything itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DueRow;

/// A row with the texts that stand in its key only as digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named<T> {
    names: Vec<String>,
    pub(crate) row: T,
}

impl<T> Named<T> {
    pub(crate) fn new(texts: &[&str], row: T) -> Self {
        let names = texts.iter().filter(|text| is_digested(text)).map(|text| (*text).to_owned()).collect();
        Self { names, row }
    }

    /// The row, unless it belongs to other texts with the same digest.
    pub(crate) fn belonging_to(self, texts: &[&str]) -> Option<T> {
        let digested = texts.iter().copied().filter(|text| is_digested(text));
        self.names.iter().map(String::as_str).eq(digested).then_some(self.row)
    }
}

pub(crate) fn encode<R: Row>(row: &R) -> Result<Vec<u8>, CodecError> {
    codec::encode(row)
}

pub(crate) fn decode<R: Row>(body: &[u8]) -> Result<R, CodecError> {
    codec::decode(body)
}
