//! What the model holds: one map a table.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::{
    ActivityName, Epoch, EventId, Namespace, QueueName, RequestId, RunId, SessionId, ShardId, Timestamp,
    WorkflowId,
};

use crate::contract::{
    BreakerRow, CurrentRow, DeadLetterRow, DueEntry, HistoryRecord, InboxRow, ItemRow, ListingRow, MailRow,
    RequestRow, Room, RunHead, SessionRow, ShardRow, StoreStats, TaskRow,
};

/// All namespaces and the clock they share.
#[derive(Debug, Clone)]
pub(super) struct Backing {
    pub(super) now: Timestamp,
    /// What somebody set.
    pub(super) room: Room,
    pub(super) spaces: BTreeMap<Namespace, Space>,
}

/// One namespace.
#[derive(Debug, Clone)]
pub(super) struct Space {
    pub(super) last_session: SessionId,
    /// Those that have not ended.
    pub(super) sessions: BTreeMap<SessionId, SessionRow>,
    pub(super) shards: Vec<ShardRow>,
    pub(super) last_time: Timestamp,
    pub(super) stats: StoreStats,
    pub(super) heads: BTreeMap<(ShardId, RunId), RunHead>,
    /// By the first event of the record.
    pub(super) history: BTreeMap<(ShardId, RunId, EventId), HistoryRecord>,
    pub(super) items: BTreeMap<(ShardId, RunId, EventId), ItemRow>,
    pub(super) current: BTreeMap<(ShardId, WorkflowId), CurrentRow>,
    pub(super) requests: BTreeMap<(ShardId, WorkflowId, RequestId), RequestRow>,
    pub(super) due: BTreeSet<(ShardId, DueEntry)>,
    pub(super) listings: BTreeMap<Reverse<(Timestamp, RunId)>, ListingRow>,
    pub(super) mail: BTreeMap<(ShardId, RunId, u64), MailRow>,
    pub(super) inbox: BTreeMap<(ShardId, RunId, u64), InboxRow>,
    pub(super) tasks: BTreeMap<(QueueName, RunId, EventId), TaskRow>,
    pub(super) dead_letters: BTreeMap<(ShardId, RunId, EventId), DeadLetterRow>,
    pub(super) breakers: BTreeMap<(ActivityName, String), BreakerRow>,
}

impl Space {
    pub(super) fn new(shard_count: u16) -> Self {
        let free = |shard| ShardRow { shard: ShardId(shard), epoch: Epoch(0), owner: None };
        Self {
            last_session: SessionId(0),
            sessions: BTreeMap::new(),
            shards: (0..shard_count).map(free).collect(),
            last_time: Timestamp::ZERO,
            stats: StoreStats::default(),
            heads: BTreeMap::new(),
            history: BTreeMap::new(),
            items: BTreeMap::new(),
            current: BTreeMap::new(),
            requests: BTreeMap::new(),
            due: BTreeSet::new(),
            listings: BTreeMap::new(),
            mail: BTreeMap::new(),
            inbox: BTreeMap::new(),
            tasks: BTreeMap::new(),
            dead_letters: BTreeMap::new(),
            breakers: BTreeMap::new(),
        }
    }

    /// Counts keys of the store's own, made durable by one sync.
    pub(super) fn count_own(&mut self, keys: u64) {
        self.stats.keys_own += keys;
        self.stats.syncs += 1;
    }
}
