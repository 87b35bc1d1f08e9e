//! Sessions and shards: who may write.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};

use super::error::StoreError;

/// One life of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session.
    pub id: SessionId,
    /// A name for people: host and process.
    pub name: String,
    /// Until when it is alive by the store's clock, unless renewed. Passing it does not end a session; somebody
    /// has to end it.
    pub expires_at: Timestamp,
    /// Whether it was ended. What belongs to it is free then, for ever.
    pub ended: bool,
}

/// Who owns a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRow {
    /// The shard.
    pub shard: ShardId,
    /// How often it has changed hands; 0 if it never had an owner.
    pub epoch: Epoch,
    /// Its owner.
    pub owner: Option<SessionId>,
}

/// A claim that was not granted.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// A session that has not ended owns the shard.
    #[error("shard {shard} is held by session {owner}")]
    Held {
        /// The shard.
        shard: ShardId,
        /// Its owner.
        owner: SessionId,
    },
    /// The claiming session has ended or was never opened.
    #[error("session {0} has ended")]
    SessionEnded(SessionId),
    /// The store could not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sessions and shard ownership.
pub trait Sessions {
    /// How many shards the namespace has; fixed when it was created.
    fn shard_count(&self) -> u16;

    /// The store's clock.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn now(&self) -> Result<Timestamp, StoreError>;

    /// Begins a session that is alive for `lease`. Ids are never used twice in a namespace, also after a reopening.
    ///
    /// A store that only one process can hold ends the sessions that an earlier process left when it is opened.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn open_session(&self, name: &str, lease: Duration) -> Result<SessionRow, StoreError>;

    /// Keeps a session alive for `lease` from now on, by the store's clock.
    ///
    /// # Errors
    ///
    /// [`ClaimError::SessionEnded`] if somebody ended it: its owner stops at once.
    fn renew_session(&self, session: SessionId, lease: Duration) -> Result<SessionRow, ClaimError>;

    /// Ends a session. Ending one that has ended is no error.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn end_session(&self, session: SessionId) -> Result<(), StoreError>;

    /// Ends a session only if its lease has passed (its last moment is over) by the store's clock; says whether it is ended now. Of two
    /// callers that see one lapsed session both learn that it ended.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn end_session_if_lapsed(&self, session: SessionId) -> Result<bool, StoreError>;

    /// All sessions that have not ended.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn sessions(&self) -> Result<Vec<SessionRow>, StoreError>;

    /// Takes a shard that nobody owns or whose owner has ended, and raises its epoch by one. Claiming an own shard
    /// again returns it unchanged.
    ///
    /// # Errors
    ///
    /// [`ClaimError::Held`] if a session that has not ended owns it.
    fn claim_shard(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError>;

    /// Gives a shard up; the next owner gets a higher epoch. Nothing happens if it is not `session`'s.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it could not be stored durably.
    fn release_shard(&self, session: SessionId, shard: ShardId) -> Result<(), StoreError>;

    /// All shards, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn shards(&self) -> Result<Vec<ShardRow>, StoreError>;
}
