//! Requests.

use steadfast_core::{RequestId, ShardId, WorkflowId};

use super::store::MemoryStore;
use crate::contract::{RequestRow, Requests, StoreError};

impl Requests for MemoryStore {
    fn request(
        &self,
        shard: ShardId,
        workflow: &WorkflowId,
        request: &RequestId,
    ) -> Result<Option<RequestRow>, StoreError> {
        let key = (shard, workflow.clone(), request.clone());
        Ok(self.in_space(|space, _| space.requests.get(&key).cloned()))
    }
}
