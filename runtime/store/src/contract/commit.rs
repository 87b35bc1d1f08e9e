//! The one way to write: transitions, grouped.

use steadfast_core::{Epoch, EventId, QueueName, RequestId, RunId, ShardId, Timestamp, WorkflowId};

use super::breaker::BreakerRow;
use super::dead_letter::DeadLetterRow;
use super::error::StoreError;
use super::message::{InboxRow, MailRow};
use super::request::RequestRow;
use super::room::{Room, StoreStats};
use super::run::{CurrentRow, HistoryRecord, ItemRow, RunHead};
use super::task::TaskRow;
use super::visibility::ListingRow;

/// Everything that changes when one shard takes one step. Stored whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The shard whose rows it changes.
    pub shard: ShardId,
    /// The epoch under which its owner holds the shard.
    pub epoch: Epoch,
    /// What must be true of a run beforehand; a safeguard against faults of the owner.
    pub expected: Option<Expected>,
    /// The changes, in order.
    pub writes: Vec<Write>,
}

/// The state that a transition builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// The run.
    pub run: RunId,
    /// Its last event; `EventId(0)` if there must be no head yet or an empty history.
    pub last_event: EventId,
}

/// One change. Putting replaces; deleting what is not there is no error.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Replaces the head of a run.
    PutHead(RunHead),
    /// Adds a history record.
    AppendHistory {
        /// The run.
        run: RunId,
        /// The record; its first event follows the last one stored.
        record: HistoryRecord,
    },
    /// Adds or replaces an open item.
    PutItem {
        /// The run.
        run: RunId,
        /// The row.
        row: ItemRow,
    },
    /// Removes an open item.
    DeleteItem {
        /// The run.
        run: RunId,
        /// The event that opened it.
        item: EventId,
    },
    /// Sets the newest run of a workflow.
    PutCurrent {
        /// The workflow.
        workflow: WorkflowId,
        /// The row.
        row: CurrentRow,
    },
    /// Remembers a request and its first outcome.
    PutRequest {
        /// The workflow.
        workflow: WorkflowId,
        /// The request.
        request: RequestId,
        /// The outcome.
        row: RequestRow,
    },
    /// Adds a due key.
    PutDue {
        /// When; [`Timestamp::ZERO`] is at once.
        at: Timestamp,
        /// The run.
        run: RunId,
    },
    /// Removes a due key.
    DeleteDue {
        /// When it was due.
        at: Timestamp,
        /// The run.
        run: RunId,
    },
    /// Adds or replaces a run in the list; the key is (`started_at`, `run_id`).
    PutListing(ListingRow),
    /// Removes a run from the list.
    DeleteListing {
        /// When it started.
        started_at: Timestamp,
        /// The run.
        run: RunId,
    },
    /// Adds a row to a run's mailbox.
    PutMail {
        /// The run.
        run: RunId,
        /// The row.
        row: MailRow,
    },
    /// Removes a row from a run's mailbox.
    DeleteMail {
        /// The run.
        run: RunId,
        /// Its sequence number.
        sequence: u64,
    },
    /// Leaves a message in the inbox of any shard.
    PutMessage {
        /// The receiver.
        to: ShardId,
        /// The message.
        row: InboxRow,
    },
    /// Removes a message from the inbox of this transition's shard.
    DeleteMessage {
        /// The sender.
        from: RunId,
        /// Its sequence number among those of the sender.
        sequence: u64,
    },
    /// Offers an attempt to whoever serves the queue.
    PutTask {
        /// The queue.
        queue: QueueName,
        /// The task.
        row: TaskRow,
    },
    /// Removes a task, claimed or not.
    DeleteTask {
        /// The queue.
        queue: QueueName,
        /// The run.
        run: RunId,
        /// The `ActivityScheduled`.
        scheduled: EventId,
    },
    /// Adds or replaces a dead letter; the key is (run, scheduled).
    PutDeadLetter(DeadLetterRow),
    /// Removes a dead letter.
    DeleteDeadLetter {
        /// The run.
        run: RunId,
        /// The `ActivityScheduled`.
        scheduled: EventId,
    },
    /// Adds a circuit breaker, or replaces it by a newer record; one with the same or a lower version changes
    /// nothing. Breakers belong to no shard.
    PutBreaker(BreakerRow),
}

impl Write {
    /// Whether it removes a row.
    #[must_use]
    pub fn is_delete(&self) -> bool {
        matches!(
            self,
            Self::DeleteItem { .. }
                | Self::DeleteDue { .. }
                | Self::DeleteListing { .. }
                | Self::DeleteMail { .. }
                | Self::DeleteMessage { .. }
                | Self::DeleteTask { .. }
                | Self::DeleteDeadLetter { .. }
        )
    }
}

/// Transitions that become durable together, in order.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// Engine time; the store remembers the highest it was given.
    pub at: Timestamp,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// What became of one transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is durable.
    Committed,
    /// None of it was stored.
    Refused(Refusal),
}

/// Why a transition was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The shard has another owner now.
    #[error("the shard was lost: its epoch is {now}")]
    LostShard {
        /// Its epoch now.
        now: Epoch,
    },
    /// The run is not where the transition expected it.
    #[error("the run is at event {now}")]
    Moved {
        /// Its last event now; 0 if there is none.
        now: EventId,
    },
    /// The appended events do not follow the last one stored.
    #[error("the history of run {run} ends at event {now}: what was appended does not follow it")]
    NotContiguous {
        /// The run.
        run: RunId,
        /// Its last event now; 0 if there is none.
        now: EventId,
    },
    /// The transition contradicts itself: a fault of whoever made it.
    #[error("the transition contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// A row that the transition builds on cannot be read. The row was left as it is; the others go on.
    #[error("a row of table `{table}` that the transition builds on cannot be read")]
    Unreadable {
        /// The kind of row.
        table: &'static str,
    },
}

/// Writing.
pub trait Commits {
    /// Stores a group: in order, one verdict a transition. Refused ones leave the others as they are; a later
    /// transition of the group builds on the earlier ones that were committed.
    ///
    /// A transition is refused unless the shard has its epoch *and* an owner whose session has not ended: once a
    /// session was ended or has given the shard up, nothing of it is committed any more. What else is checked,
    /// also in release builds, is said at [`super::check_transition`].
    ///
    /// Reads may see a group before it is durable. A group without transitions returns when everything that a read
    /// could have seen before the call is durable: that is how an answer that was only read is released.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it is not known whether anything was stored.
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError>;

    /// The highest [`Group::at`] of a group of which a transition was committed; [`Timestamp::ZERO`] in a new store.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn last_time(&self) -> Result<Timestamp, StoreError>;

    /// Whether there is room for new runs. Runs that exist may go on in any case; refusing new ones early keeps
    /// room for them to end.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer.
    fn room(&self) -> Result<Room, StoreError> {
        Ok(Room::Enough)
    }

    /// What was written through this store since it was opened; all zero if the store does not count.
    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}
