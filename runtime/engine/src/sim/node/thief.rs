//! A call of the store that is late: meanwhile the world goes on, and the session may be lost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use steadfast_core::{SessionId, ShardId};
use steadfast_store::{Sessions, StoreError};

use super::super::dice::Dice;
use super::super::watched::WatchedStore;
use super::engine::LEASE;

/// What happens while one engine waits for the store.
pub(super) struct Thief {
    store: WatchedStore,
    /// The session that waits; 0 for none.
    session: AtomicU64,
    /// Held for one draw.
    dice: Mutex<Dice>,
    pub(super) delays: AtomicU64,
    pub(super) thefts: AtomicU64,
}

impl Thief {
    pub(super) fn new(store: WatchedStore, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            store,
            session: AtomicU64::new(0),
            dice: Mutex::new(Dice::new(seed)),
            delays: AtomicU64::new(0),
            thefts: AtomicU64::new(0),
        })
    }

    pub(super) fn watch(&self, session: Option<SessionId>) {
        self.session.store(session.map_or(0, |session| session.0), Ordering::Relaxed);
    }

    /// A call is late.
    pub(super) fn delay(&self) {
        self.delays.fetch_add(1, Ordering::Relaxed);
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let session = SessionId(self.session.load(Ordering::Relaxed));
        if session.0 == 0 || !dice.percent(8) {
            self.store.inner.advance(Duration::from_millis(dice.below(300)));
            return;
        }
        self.store.inner.advance(LEASE + Duration::from_secs(1));
        let is_ghost = dice.percent(50);
        drop(dice);
        // A memory store does not fail.
        if matches!(self.steal(session, is_ghost), Ok(true)) {
            self.thefts.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Another engine finds the session lapsed, and ends it. A ghost takes its shards too, and is gone again.
    fn steal(&self, session: SessionId, is_ghost: bool) -> Result<bool, StoreError> {
        let is_ended = self.store.end_session_if_lapsed(session)?;
        if is_ended && is_ghost {
            let ghost = self.store.open_session("ghost", LEASE)?;
            for shard in 0..self.store.shard_count() {
                drop(self.store.claim_shard(ghost.id, ShardId(shard)));
            }
            self.store.end_session(ghost.id)?;
        }
        Ok(is_ended)
    }
}
