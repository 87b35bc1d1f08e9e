//! The stored form: a change of these bytes is a change of the format, and needs a new version of the row.

use steadfast_core::{
    Epoch, EventId, QueueName, RequestId, RunId, SessionId, ShardId, Timestamp, WorkflowId,
};
use steadfast_store::{
    BreakerRow, CurrentRow, DeadLetterRow, HistoryEnd, HistoryRecord, InboxRow, ItemRow, ListingRow, MailRow,
    RequestRow, RunHead, RunStatus, Sessions, TaskRow, Write,
};
use steadfast_store_sled::{Clock, SledStore};
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::{Owner, options, with_raw};

#[cfg(test)]
fn run() -> RunId {
    RunId::from_bytes([0xab; 16])
}

/// One row of every kind.
#[cfg(test)]
fn rows() -> Vec<Write> {
    let workflow: WorkflowId = "tour-991".to_owned().try_into().unwrap();
    let request: RequestId = "r-1".to_owned().try_into().unwrap();
    let queue: QueueName = "tours".to_owned().try_into().unwrap();
    let record = HistoryRecord { first: EventId(1), count: 2, body: vec![1, 2, 3] };
    let end = HistoryEnd::default().with(&record);
    let (at, scheduled) = (Timestamp::from_micros(1_700_000_000_000_000), EventId(2));
    let head = RunHead {
        run_id: run(),
        workflow_id: workflow.clone(),
        workflow_type: "book_tour".to_owned().try_into().unwrap(),
        status: RunStatus::Compensating,
        last_event: end.last_event,
        history_hash: end.hash,
        history_bytes: end.bytes,
        due: Some(at),
        has_items: true,
        mail_next: 3,
        body: vec![4, 5],
    };
    let listing = ListingRow {
        started_at: at,
        run_id: run(),
        workflow_id: workflow.clone(),
        workflow_type: head.workflow_type.clone(),
        status: RunStatus::Running,
        needs_attention: true,
        closed_at: None,
    };
    let task = TaskRow {
        shard: ShardId(0),
        run: run(),
        scheduled,
        attempt: 3,
        offered_at: at,
        claimed_by: Some(SessionId(9)),
        body: vec![6],
    };
    let letter = DeadLetterRow {
        at,
        shard: ShardId(0),
        run_id: run(),
        workflow_id: workflow.clone(),
        scheduled,
        activity: "charge_card".to_owned().try_into().unwrap(),
        body: vec![7],
    };
    let activity = "charge_card".to_owned().try_into().unwrap();
    let breaker = BreakerRow { activity, key: "eu".into(), version: 5, body: vec![12] };
    let current = CurrentRow { run_id: run(), status: RunStatus::Completed };
    let long: WorkflowId = "w".repeat(97).try_into().unwrap();
    vec![
        Write::AppendHistory { run: run(), record },
        Write::PutHead(head),
        Write::PutItem { run: run(), row: ItemRow { item: scheduled, body: vec![8] } },
        Write::PutCurrent { workflow: workflow.clone(), row: current.clone() },
        Write::PutCurrent { workflow: long, row: current },
        Write::PutRequest { workflow, request, row: RequestRow { run_id: run(), at, outcome: vec![9] } },
        Write::PutDue { at, run: run() },
        Write::PutListing(listing),
        Write::PutMail { run: run(), row: MailRow { sequence: 2, body: vec![10] } },
        Write::PutMessage { to: ShardId(3), row: InboxRow { from: run(), sequence: 4, body: vec![11] } },
        Write::PutTask { queue, row: task },
        Write::PutDeadLetter(letter),
        Write::PutBreaker(breaker),
    ]
}

#[test]
fn every_row_is_stored_in_the_bytes_of_format_one() {
    let dir = TempDir::new().unwrap();
    let mut fixed = options(dir.path());
    fixed.clock = Clock::from_fn(|| Timestamp::from_micros(1_700_000_000_000_000));
    let store = SledStore::open(fixed).unwrap();
    let owner = Owner::of(&store);
    owner.commit(&store, rows());
    assert_eq!(store.shards().unwrap()[0].epoch, Epoch(1));
    drop(store);
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let stored: Vec<String> = with_raw(dir.path(), |db| {
        db.iter().map(Result::unwrap).map(|(key, value)| format!("{} = {}", hex(&key), hex(&value))).collect()
    });
    let golden = include_str!("format/v1.txt");
    let golden: Vec<&str> = golden.lines().collect();
    assert_eq!(stored, golden, "the stored form changed:\n{}", stored.join("\n"));
}
