//! Requests: what makes a repeated call of a client one call.

use serde::{Deserialize, Serialize};
use steadfast_core::{RequestId, RunId, ShardId, Timestamp, WorkflowId};

use super::error::StoreError;

/// The first outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRow {
    /// The run that took it.
    pub run_id: RunId,
    /// When.
    pub at: Timestamp,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub outcome: Vec<u8>,
}

/// Reading requests.
pub trait Requests {
    /// The first outcome of a request, if it was ever taken and is still kept.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or the row cannot be read.
    fn request(
        &self,
        shard: ShardId,
        workflow: &WorkflowId,
        request: &RequestId,
    ) -> Result<Option<RequestRow>, StoreError>;
}
