//! What a gate knows of a claim.

use steadfast::Timestamp;
use steadfast::store::{ClaimError, ShardRow};
use steadfast_core::{Epoch, SessionId, ShardId};

/// A claim of a shard, and what the store said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who claimed.
    pub session: SessionId,
    /// What was claimed.
    pub shard: ShardId,
    /// When, by the store's clock.
    pub at: Timestamp,
    /// The answer.
    pub answer: ClaimAnswer,
}

/// The answer to a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimAnswer {
    /// The shard is the claimer's, under this epoch.
    Owned(Epoch),
    /// It is this session's.
    Held(SessionId),
    /// The claimer's own session has ended.
    Ended,
    /// The store did not say.
    Failed(String),
}

impl Claim {
    pub(super) fn new(
        session: SessionId,
        shard: ShardId,
        at: Timestamp,
        answer: &Result<ShardRow, ClaimError>,
    ) -> Self {
        let answer = match answer {
            Ok(row) => ClaimAnswer::Owned(row.epoch),
            Err(ClaimError::Held { owner, .. }) => ClaimAnswer::Held(*owner),
            Err(ClaimError::SessionEnded(_)) => ClaimAnswer::Ended,
            Err(ClaimError::Store(error)) => ClaimAnswer::Failed(error.to_string()),
        };
        Self { session, shard, at, answer }
    }
}
