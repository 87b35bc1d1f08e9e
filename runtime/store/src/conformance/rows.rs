//! Rows to write, short to say; and everything a store holds as one text, to compare.

use std::fmt::{Debug, Write as _};

use steadfast_core::{
    ActivityName, EventId, QueueName, RequestId, RunId, ShardId, Timestamp, WorkflowId, WorkflowType,
};

use crate::contract::{
    BreakerRow, CurrentRow, DeadLetterRow, Expected, HistoryEnd, HistoryRecord, InboxRow, ItemRow,
    ListFilter, ListingRow, MailRow, RequestRow, RunHead, RunStatus, Store, TaskRow, Write,
};

/// The shard that most properties use.
pub(super) const SHARD: ShardId = ShardId(0);

/// A result that the property cannot go on without.
#[track_caller]
pub(super) fn ok<T, E: std::error::Error>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => match error.source() {
            Some(source) => panic!("the store failed: {error}: {source}"),
            None => panic!("the store failed: {error}"),
        },
    }
}

pub(super) fn run(number: u64) -> RunId {
    RunId::from_bytes(u128::from(number).to_be_bytes())
}

pub(super) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

pub(super) fn workflow(name: &str) -> WorkflowId {
    ok(WorkflowId::new(name))
}

pub(super) fn request(name: &str) -> RequestId {
    ok(RequestId::new(name))
}

pub(super) fn queue(name: &str) -> QueueName {
    ok(QueueName::new(name))
}

pub(super) fn workflow_type(name: &str) -> WorkflowType {
    ok(WorkflowType::new(name))
}

/// Bytes of a length that differ from place to place and from seed to seed.
pub(super) fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// A head for a history that ends at `end`.
pub(super) fn head(of: RunId, end: HistoryEnd, body: Vec<u8>) -> RunHead {
    RunHead {
        run_id: of,
        workflow_id: workflow(&format!("workflow-{of}")),
        workflow_type: workflow_type("book_tour"),
        status: RunStatus::Running,
        last_event: end.last_event,
        history_hash: end.hash,
        history_bytes: end.bytes,
        due: None,
        has_items: false,
        mail_next: 0,
        body,
    }
}

/// A run whose history grows.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) run: RunId,
    pub(super) end: HistoryEnd,
}

impl Story {
    pub(super) fn new(run: RunId) -> Self {
        Self { run, end: HistoryEnd::default() }
    }

    /// The next record, of `count` events.
    pub(super) fn record(&self, count: u32, body: Vec<u8>) -> HistoryRecord {
        HistoryRecord { first: self.end.last_event.next(), count, body }
    }

    /// Appends a record without its head.
    pub(super) fn append(&mut self, count: u32, body: Vec<u8>) -> Write {
        let record = self.record(count, body);
        self.end = self.end.with(&record);
        Write::AppendHistory { run: self.run, record }
    }

    /// The head as it must be now.
    pub(super) fn head(&self) -> Write {
        Write::PutHead(head(self.run, self.end, bytes(20, self.end.last_event.0)))
    }

    /// Appends one event and its head.
    pub(super) fn step(&mut self) -> Vec<Write> {
        let record = self.append(1, bytes(30, self.end.last_event.0));
        vec![record, self.head()]
    }

    pub(super) fn expected(&self) -> Expected {
        Expected { run: self.run, last_event: self.end.last_event }
    }
}

pub(super) fn item(event: u64, length: usize) -> ItemRow {
    ItemRow { item: EventId(event), body: bytes(length, event) }
}

pub(super) fn current(run: RunId) -> CurrentRow {
    CurrentRow { run_id: run, status: RunStatus::Running }
}

pub(super) fn outcome(run: RunId, length: usize) -> RequestRow {
    RequestRow { run_id: run, at: at(5), outcome: bytes(length, 3) }
}

pub(super) fn listing(started_at: u64, run: RunId) -> ListingRow {
    ListingRow {
        started_at: at(started_at),
        run_id: run,
        workflow_id: workflow(&format!("workflow-{run}")),
        workflow_type: workflow_type("book_tour"),
        status: RunStatus::Running,
        needs_attention: false,
        closed_at: None,
    }
}

pub(super) fn mail(sequence: u64) -> MailRow {
    MailRow { sequence, body: bytes(25, sequence) }
}

pub(super) fn message(from: RunId, sequence: u64) -> InboxRow {
    InboxRow { from, sequence, body: bytes(25, sequence) }
}

pub(super) fn task(run: RunId, scheduled: u64, offered_at: u64) -> TaskRow {
    TaskRow {
        shard: SHARD,
        run,
        scheduled: EventId(scheduled),
        attempt: 1,
        offered_at: at(offered_at),
        claimed_by: None,
        body: bytes(25, scheduled),
    }
}

pub(super) fn dead_letter(shard: ShardId, run: RunId, scheduled: u64) -> DeadLetterRow {
    DeadLetterRow {
        at: at(scheduled),
        shard,
        run_id: run,
        workflow_id: workflow(&format!("workflow-{run}")),
        scheduled: EventId(scheduled),
        activity: ok(ActivityName::new("charge_card")),
        body: bytes(25, scheduled),
    }
}

pub(super) fn breaker(activity: &str, key: &str, version: u64) -> BreakerRow {
    BreakerRow {
        activity: ok(ActivityName::new(activity)),
        key: key.to_owned(),
        version,
        body: bytes(25, version),
    }
}

/// One write of every kind that puts something, all about run 1 in [`SHARD`].
pub(super) fn one_of_each() -> Vec<Write> {
    let mut story = Story::new(run(1));
    let mut writes = story.step();
    writes.extend([
        Write::PutItem { run: run(1), row: item(1, 40) },
        Write::PutCurrent { workflow: workflow("tour"), row: current(run(1)) },
        Write::PutRequest { workflow: workflow("tour"), request: request("r-1"), row: outcome(run(1), 10) },
        Write::PutDue { at: at(9), run: run(1) },
        Write::PutListing(listing(7, run(1))),
        Write::PutMail { run: run(1), row: mail(0) },
        Write::PutMessage { to: SHARD, row: message(run(2), 0) },
        Write::PutTask { queue: queue("tours"), row: task(run(1), 1, 4) },
        Write::PutDeadLetter(dead_letter(SHARD, run(1), 1)),
        Write::PutBreaker(breaker("charge_card", "eu", 3)),
    ]);
    writes
}

/// Deletes what [`one_of_each`] put, as far as it can be deleted.
pub(super) fn delete_each() -> Vec<Write> {
    vec![
        Write::DeleteItem { run: run(1), item: EventId(1) },
        Write::DeleteDue { at: at(9), run: run(1) },
        Write::DeleteListing { started_at: at(7), run: run(1) },
        Write::DeleteMail { run: run(1), sequence: 0 },
        Write::DeleteMessage { from: run(2), sequence: 0 },
        Write::DeleteTask { queue: queue("tours"), run: run(1), scheduled: EventId(1) },
        Write::DeleteDeadLetter { run: run(1), scheduled: EventId(1) },
    ]
}

/// Everything that a store holds of the ids that properties use, read through every method.
pub(super) fn everything(store: &dyn Store) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn Debug| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}: {value:?}");
    };
    for shard in (0..store.shard_count().min(4)).map(ShardId) {
        for id in (1..=6).map(run) {
            line("head", &ok(store.head(shard, id)));
            line("history", &ok(store.history(shard, id, EventId(1), 1_000)));
            line("items", &ok(store.items(shard, id, None, 1_000)));
            line("mail", &ok(store.mail(shard, id, 0, 1_000)));
            line("dead letter", &ok(store.dead_letter(shard, id, EventId(1))));
        }
        line("current", &ok(store.current(shard, &workflow("tour"))));
        line("request", &ok(store.request(shard, &workflow("tour"), &request("r-1"))));
        line("due", &ok(store.due(shard, None, Timestamp::MAX, 1_000)));
        line("next due", &ok(store.next_due(shard, None)));
        line("inbox", &ok(store.inbox(shard, 1_000)));
    }
    line("tasks", &ok(store.tasks(&queue("tours"), 1_000)));
    line("list", &ok(store.list(&ListFilter::default(), None, 1_000)).rows);
    line("dead letters", &ok(store.dead_letters(None, 1_000)).rows);
    line("breakers", &super::breakers::pages(store, 100));
    line("time", &ok(store.last_time()));
    text
}
