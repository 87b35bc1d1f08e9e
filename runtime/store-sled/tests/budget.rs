//! How many keys and syncs the steps of a run cost. No timing.

use steadfast_core::{EventId, RunId, ShardId, Timestamp};
use steadfast_store::{
    Commits, CurrentRow, Group, HistoryEnd, HistoryRecord, ItemRow, ListingRow, RequestRow, RunHead,
    RunStatus, StoreStats, Verdict, Write,
};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::{Owner, options};

#[cfg(test)]
struct Tour {
    store: SledStore,
    owner: Owner,
    end: HistoryEnd,
    _dir: TempDir,
}

#[cfg(test)]
fn run() -> RunId {
    RunId::from_bytes([3; 16])
}

#[cfg(test)]
impl Tour {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let store = SledStore::open(options(dir.path())).unwrap();
        let owner = Owner::of(&store);
        Self { store, owner, end: HistoryEnd::default(), _dir: dir }
    }

    /// One record of 300 bytes and the head.
    fn activation(&mut self) -> Vec<Write> {
        let record = HistoryRecord { first: self.end.last_event.next(), count: 2, body: vec![7; 300] };
        self.end = self.end.with(&record);
        let head = RunHead {
            run_id: run(),
            workflow_id: "tour-1".to_owned().try_into().unwrap(),
            workflow_type: "book_tour".to_owned().try_into().unwrap(),
            status: RunStatus::Running,
            last_event: self.end.last_event,
            history_hash: self.end.hash,
            history_bytes: self.end.bytes,
            due: None,
            has_items: false,
            mail_next: 0,
            body: vec![1; 800],
        };
        vec![Write::AppendHistory { run: run(), record }, Write::PutHead(head)]
    }

    fn listing(&self) -> Write {
        Write::PutListing(ListingRow {
            started_at: Timestamp::from_micros(1),
            run_id: run(),
            workflow_id: "tour-1".to_owned().try_into().unwrap(),
            workflow_type: "book_tour".to_owned().try_into().unwrap(),
            status: RunStatus::Running,
            needs_attention: false,
            closed_at: None,
        })
    }

    fn current(&self) -> Write {
        let row = CurrentRow { run_id: run(), status: RunStatus::Running };
        Write::PutCurrent { workflow: "tour-1".to_owned().try_into().unwrap(), row }
    }

    fn start(&mut self) -> Vec<Write> {
        let row = RequestRow { run_id: run(), at: Timestamp::ZERO, outcome: vec![0; 20] };
        let mut writes = self.activation();
        writes.extend([
            self.current(),
            Write::PutRequest {
                workflow: "tour-1".to_owned().try_into().unwrap(),
                request: "r".to_owned().try_into().unwrap(),
                row,
            },
            Write::PutDue { at: Timestamp::ZERO, run: run() },
            self.listing(),
        ]);
        writes
    }

    /// What committing costs.
    fn cost(&mut self, writes: Vec<Write>) -> StoreStats {
        let before = self.store.stats();
        self.owner.commit(&self.store, writes);
        self.store.stats().since(&before)
    }
}

#[test]
fn a_start_costs_six_keys_an_activity_two_a_close_five() {
    let mut tour = Tour::new();
    let start = tour.start();
    let start = tour.cost(start);
    assert_eq!((start.keys(), start.syncs, start.keys_own), (6, 1, 1));
    for _ in 0..100 {
        let activation = tour.activation();
        let activity = tour.cost(activation);
        assert_eq!((activity.keys_put, activity.keys_deleted, activity.syncs), (2, 0, 1));
    }
    let mut close = tour.activation();
    close.extend([tour.current(), tour.listing(), Write::DeleteDue { at: Timestamp::ZERO, run: run() }]);
    let close = tour.cost(close);
    assert_eq!((close.keys_put, close.keys_deleted, close.syncs), (4, 1, 1));
}

#[test]
fn a_completion_among_a_thousand_open_items_costs_four_keys() {
    let mut tour = Tour::new();
    let start = tour.start();
    tour.cost(start);
    let item = |event| ItemRow { item: EventId(event), body: vec![1; 90] };
    let open = (1..=1_000).map(|event| Write::PutItem { run: run(), row: item(event) }).collect();
    assert_eq!(tour.cost(open).keys(), 1_000);
    for event in 1..=50 {
        let mut completion = tour.activation();
        completion.push(Write::DeleteItem { run: run(), item: EventId(event) });
        completion.push(Write::PutItem { run: run(), row: item(2_000 + event) });
        let cost = tour.cost(completion);
        assert_eq!((cost.keys(), cost.syncs), (4, 1));
    }
}

#[test]
fn a_group_of_many_transitions_costs_one_sync_and_a_row_that_is_rewritten_one_key() {
    let mut tour = Tour::new();
    let mut transitions: Vec<_> = vec![tour.start()];
    transitions.extend((0..1_000).map(|_| tour.activation()));
    let transitions = transitions.into_iter().map(|writes| tour.owner.transition(writes)).collect();
    let before = tour.store.stats();
    let group = Group { at: Timestamp::from_micros(9), transitions };
    assert!(tour.store.commit(&group).unwrap().iter().all(|verdict| *verdict == Verdict::Committed));
    let cost = tour.store.stats().since(&before);
    assert_eq!((cost.transitions, cost.groups, cost.syncs, cost.keys_own), (1_001, 1, 1, 1));
    // Each activation adds a history record; the head is written once in each of the two batches.
    assert_eq!(cost.keys(), 6 + 1_000 + 1);
}

#[test]
fn what_changes_nothing_costs_nothing() {
    let tour = Tour::new();
    let before = tour.store.stats();
    assert_eq!(tour.store.commit(&Group::default()).unwrap(), []);
    let mut stale = tour.owner.transition(vec![Write::PutDue { at: Timestamp::ZERO, run: run() }]);
    stale.epoch.0 += 1;
    let group = Group { at: Timestamp::from_micros(5), transitions: vec![stale] };
    tour.store.commit(&group).unwrap();
    let claim = steadfast_store::Sessions::claim_shard(&tour.store, tour.owner.session, ShardId(0));
    assert!(claim.is_ok(), "claiming one's own shard");
    assert_eq!(tour.store.stats(), before);
}

/// The value of a head is what is cut last: one that fits a value is one key, one byte more is two.
#[test]
fn a_large_head_costs_its_chunks() {
    let mut tour = Tour::new();
    let mut keys = Vec::new();
    for length in [3_900, 4_500, 9_000] {
        let mut writes = tour.activation();
        for write in &mut writes {
            if let Write::PutHead(head) = write {
                head.body = vec![1; length];
            }
        }
        keys.push(tour.cost(writes).keys());
    }
    assert_eq!(keys, [2, 3, 4]);
}
