//! What is kept of a namespace in memory: who owns what. Only this process can change it, so checking costs no read.
//!
//! Sessions live here only. A process that held the directory before is gone, and its sessions with it; that their ids
//! are never given out again is stored.

use std::collections::BTreeMap;
use std::time::Duration;

use steadfast_core::{SessionId, ShardId};
use steadfast_store::{Refusal, SessionRow, ShardRow, StoreStats, Transition};

use crate::row::ProgressRow;

/// One namespace.
#[derive(Debug)]
pub(crate) struct Space {
    /// Those that have not ended.
    pub(crate) sessions: BTreeMap<SessionId, SessionRow>,
    /// One for each shard, as stored.
    pub(crate) shards: Vec<ShardRow>,
    /// As stored.
    pub(crate) progress: ProgressRow,
    /// How far the last time that was stored lay ahead of the clock when the namespace was opened. The store's time
    /// goes on from there: it must not stand still until a clock that was set back has made up for it.
    pub(crate) ahead: Duration,
    pub(crate) stats: StoreStats,
}

impl Space {
    /// Whether a session exists and has not ended.
    pub(crate) fn is_live(&self, session: SessionId) -> bool {
        self.sessions.contains_key(&session)
    }

    pub(crate) fn shard(&self, shard: ShardId) -> Option<ShardRow> {
        self.shards.get(usize::from(shard.0)).copied()
    }

    /// Whether the maker of a transition still owns its shard. A shard that does not exist is refused elsewhere.
    pub(crate) fn check_owner(&self, transition: &Transition) -> Result<(), Refusal> {
        let Some(row) = self.shard(transition.shard) else { return Ok(()) };
        let owned = row.owner.is_some_and(|owner| self.is_live(owner));
        if owned && row.epoch == transition.epoch {
            return Ok(());
        }
        Err(Refusal::LostShard { now: row.epoch })
    }
}
