//! The session keeper: proves that this engine lives, and claims its shards.

use std::collections::BTreeSet;
use std::time::Duration;

use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};
use steadfast_store::{ClaimError, Store, StoreError};

use crate::error::chain;

/// What the keeper tells the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tenure {
    /// A shard is this engine's.
    Owned { shard: ShardId, epoch: Epoch, session: SessionId },
    /// The session was ended by somebody: everything stops. A new session is opened.
    Lost,
}

/// Keeps a session alive.
#[derive(Debug)]
pub(crate) struct SessionKeeper {
    name: String,
    lease: Duration,
    session: Option<SessionId>,
    /// Shards that are not owned yet.
    wanted: BTreeSet<ShardId>,
    renew_at: Timestamp,
    claim_at: Timestamp,
}

impl SessionKeeper {
    pub(crate) fn new(name: String, lease: Duration) -> Self {
        Self {
            name,
            lease,
            session: None,
            wanted: BTreeSet::new(),
            renew_at: Timestamp::ZERO,
            claim_at: Timestamp::ZERO,
        }
    }

    /// The session, if one is open as far as the keeper knows.
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.session
    }

    /// When the keeper has to be stepped next.
    pub(crate) fn next_wake(&self) -> Timestamp {
        if self.wanted.is_empty() { self.renew_at } else { self.renew_at.min(self.claim_at) }
    }

    /// Opens the first session and claims what is free.
    pub(crate) fn open(&mut self, store: &dyn Store, now: Timestamp) -> Result<Vec<Tenure>, StoreError> {
        let row = store.open_session(&self.name, self.lease)?;
        self.session = Some(row.id);
        self.wanted = (0..store.shard_count()).map(ShardId).collect();
        self.renew_at = now.after(self.lease / 3);
        self.claim_at = now;
        let mut news = Vec::new();
        self.claim(store, now, &mut news);
        Ok(news)
    }

    /// Renews and claims what the time has come for.
    pub(crate) fn step(&mut self, store: &dyn Store, now: Timestamp) -> Vec<Tenure> {
        let mut news = Vec::new();
        if self.session.is_none() {
            self.open_again(store, now, &mut news);
        } else if self.renew_at <= now {
            self.renew(store, now, &mut news);
        }
        if self.session.is_some() && !self.wanted.is_empty() && self.claim_at <= now {
            self.claim(store, now, &mut news);
        }
        news
    }

    /// The session ends; nothing of it is committed any more.
    pub(crate) fn end(&mut self, store: &dyn Store) {
        if let Some(session) = self.session.take()
            && let Err(error) = store.end_session(session)
        {
            tracing::warn!(%session, error = chain(&error), "the session could not be ended; its lease will lapse");
        }
    }

    fn renew(&mut self, store: &dyn Store, now: Timestamp, news: &mut Vec<Tenure>) {
        let Some(session) = self.session else { return };
        match store.renew_session(session, self.lease) {
            Ok(_) => self.renew_at = now.after(self.lease / 3),
            Err(ClaimError::Store(error)) => {
                tracing::warn!(%session, error = chain(&error), "the session could not be renewed; trying again");
                self.renew_at = now.after(self.lease / 10);
            }
            Err(ClaimError::SessionEnded(_) | ClaimError::Held { .. }) => {
                tracing::error!(%session, "the session was ended by another engine; everything stops");
                self.session = None;
                news.push(Tenure::Lost);
                self.open_again(store, now, news);
            }
        }
    }

    fn open_again(&mut self, store: &dyn Store, now: Timestamp, news: &mut Vec<Tenure>) {
        match self.open(store, now) {
            Ok(owned) => news.extend(owned),
            Err(error) => {
                tracing::warn!(error = chain(&error), "no new session; trying again");
                self.renew_at = now.after(self.lease / 10);
            }
        }
    }

    fn claim(&mut self, store: &dyn Store, now: Timestamp, news: &mut Vec<Tenure>) {
        let Some(session) = self.session else { return };
        let mut alive = BTreeSet::new();
        for shard in self.wanted.clone() {
            match claim_one(store, session, shard, &mut alive) {
                Ok(Some(epoch)) => {
                    self.wanted.remove(&shard);
                    news.push(Tenure::Owned { shard, epoch, session });
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%shard, error = chain(&error), "the shard could not be claimed; trying again");
                }
            }
        }
        self.claim_at = now.after(self.lease / 3);
    }
}

/// Claims a shard, after ending the session of its owner if that has lapsed.
fn claim_one(
    store: &dyn Store,
    session: SessionId,
    shard: ShardId,
    alive: &mut BTreeSet<SessionId>,
) -> Result<Option<Epoch>, ClaimError> {
    let owner = match store.claim_shard(session, shard) {
        Ok(row) => return Ok(Some(row.epoch)),
        Err(ClaimError::Held { owner, .. }) => owner,
        Err(error) => return Err(error),
    };
    if alive.contains(&owner) || !store.end_session_if_lapsed(owner)? {
        alive.insert(owner);
        return Ok(None);
    }
    match store.claim_shard(session, shard) {
        Ok(row) => Ok(Some(row.epoch)),
        Err(ClaimError::Held { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
