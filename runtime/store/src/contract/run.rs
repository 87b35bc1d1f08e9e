//! Runs: the head, the history, open items that do not fit the head, and which run of a workflow is current.

use serde::{Deserialize, Serialize};
use steadfast_core::{EventId, RunId, ShardId, Timestamp, WorkflowId, WorkflowType};

use super::error::StoreError;
use super::status::RunStatus;

/// The one row of a run that is rewritten: where its history ends, and what the engine must know without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    /// The run.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// The state.
    pub status: RunStatus,
    /// The id of the last event, which is also their number.
    pub last_event: EventId,
    /// [`crate::roll`] over the bodies of all history records: a hole or a cut tail shows.
    pub history_hash: u32,
    /// The sum of the lengths of the bodies of all history records.
    pub history_bytes: u64,
    /// The due key that is stored for this run, if there is one.
    pub due: Option<Timestamp>,
    /// Whether there are [`ItemRow`]s.
    pub has_items: bool,
    /// The sequence number of the next mailbox row, which is also the number of rows ever put.
    pub mail_next: u64,
    /// What only the engine understands: open items, deadlines, flags.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Some events in a row, as one record: in general all of one activation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// The id of the first event.
    pub first: EventId,
    /// How many events there are; never zero.
    pub count: u32,
    /// `steadfast_core::encode_events` of them.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

impl HistoryRecord {
    /// The id of the last event.
    #[must_use]
    pub fn last(&self) -> EventId {
        EventId(self.first.0 + u64::from(self.count) - 1)
    }
}

/// An open activity, step or timer that does not fit the head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemRow {
    /// The event that opened it.
    pub item: EventId,
    /// What only the engine understands.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Which run of a workflow is the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentRow {
    /// That run.
    pub run_id: RunId,
    /// Its state when this row was written; open or closed is always right.
    pub status: RunStatus,
}

/// Reading runs.
///
/// Each call sees a moment of its own. The owner of the shard knows when nothing changes between two of them; anybody
/// else may see a history that is already longer than the head it read before.
pub trait Runs {
    /// The head of a run.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or the row cannot be read.
    fn head(&self, shard: ShardId, run: RunId) -> Result<Option<RunHead>, StoreError>;

    /// Records in order, beginning with the one that holds event `from` (or the first after it), at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read; the error names it.
    fn history(
        &self,
        shard: ShardId,
        run: RunId,
        from: EventId,
        limit: usize,
    ) -> Result<Vec<HistoryRecord>, StoreError>;

    /// Open items that do not fit the head, in order, those after `after`, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn items(
        &self,
        shard: ShardId,
        run: RunId,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<ItemRow>, StoreError>;

    /// The newest run of a workflow.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or the row cannot be read.
    fn current(&self, shard: ShardId, workflow: &WorkflowId) -> Result<Option<CurrentRow>, StoreError>;
}
