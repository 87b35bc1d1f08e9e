//! Circuit breakers: shared by all shards of a namespace.

use serde::{Deserialize, Serialize};
use steadfast_core::ActivityName;

use super::error::StoreError;

/// One circuit breaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerRow {
    /// The activity.
    pub activity: ActivityName,
    /// What sets it apart from other breakers of the activity; may be empty.
    pub key: String,
    /// Of two rows of one breaker the one with the higher number is newer.
    pub version: u64,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Some circuit breakers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BreakerPage {
    /// The rows.
    pub rows: Vec<BreakerRow>,
    /// Where to go on: activity and key of the last row; `None` if there is no more.
    pub next: Option<(ActivityName, String)>,
}

/// Listing circuit breakers.
pub trait Breakers {
    /// Rows after `after`, at most `limit`, in an order of the store's own that stays the same.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn breakers(
        &self,
        after: Option<&(ActivityName, String)>,
        limit: usize,
    ) -> Result<BreakerPage, StoreError>;
}
