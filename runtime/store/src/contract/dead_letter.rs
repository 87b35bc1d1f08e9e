//! Dead letters: activities that were given up after all their attempts.

use serde::{Deserialize, Serialize};
use steadfast_core::{ActivityName, EventId, RunId, ShardId, Timestamp, WorkflowId};

use super::error::StoreError;

/// One activity that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterRow {
    /// When it was given up: lists are sorted by this.
    pub at: Timestamp,
    /// The run's shard.
    pub shard: ShardId,
    /// The run.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The `ActivityScheduled`: where in the history it stands.
    pub scheduled: EventId,
    /// The activity.
    pub activity: ActivityName,
    /// What only the engine understands: input, key, attempts, failures, times.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// Some dead letters, in order of (shard, run, scheduled).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeadLetterPage {
    /// The rows.
    pub rows: Vec<DeadLetterRow>,
    /// Where to go on: (shard, run, scheduled) of the last row; `None` if there is no more.
    pub next: Option<(ShardId, RunId, EventId)>,
}

/// Listing dead letters.
pub trait DeadLetters {
    /// Rows in order of (shard, run, scheduled), after `after`, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read.
    fn dead_letters(
        &self,
        after: Option<(ShardId, RunId, EventId)>,
        limit: usize,
    ) -> Result<DeadLetterPage, StoreError>;

    /// One dead letter.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or the row cannot be read.
    fn dead_letter(
        &self,
        shard: ShardId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<Option<DeadLetterRow>, StoreError>;
}
