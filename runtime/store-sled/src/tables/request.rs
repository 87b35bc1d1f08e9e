//! Requests.

use steadfast_core::{RequestId, ShardId, WorkflowId};
use steadfast_store::{RequestRow, Requests, StoreError};

use crate::key::{Key, Table};
use crate::row::Named;
use crate::store::SledStore;
use crate::value;

impl SledStore {
    pub(crate) fn request_key(&self, shard: ShardId, workflow: &WorkflowId, request: &RequestId) -> Key {
        Key::in_shard(Table::Request, self.number, shard).text(workflow.as_str()).text(request.as_str())
    }
}

impl Requests for SledStore {
    fn request(
        &self,
        shard: ShardId,
        workflow: &WorkflowId,
        request: &RequestId,
    ) -> Result<Option<RequestRow>, StoreError> {
        let key = self.request_key(shard, workflow, request);
        let Some(found) = value::get::<Named<RequestRow>>(self.database()?, &key)? else { return Ok(None) };
        let row = found.belonging_to(&[workflow.as_str(), request.as_str()]);
        row.map(Some).ok_or_else(|| value::corrupt(key.table, key.bytes(), "it belongs to another request"))
    }
}
