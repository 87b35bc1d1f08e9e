//! Histories: paged, whole, in order, from any event on.

use steadfast_core::history::{Event, EventKind, TimerFired};
use steadfast_core::{EventId, RunId, ShardId, encode_events};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, Story, at, bytes, ok, run};
use crate::contract::{HistoryRecord, Runs, Store};
use crate::load::load_history;

/// Reads a history page by page and proves that ids are contiguous. Returns its last event.
fn page_through(store: &dyn Store, of: RunId, from: u64, limit: usize) -> EventId {
    let mut next = EventId(from);
    loop {
        let page = ok(store.history(SHARD, of, next, limit));
        assert!(page.len() <= limit, "a page holds at most {limit} records");
        let Some(first) = page.first() else { return EventId(next.0 - 1) };
        assert!(first.first <= next && first.last() >= next, "the page begins with the record of {next}");
        let mut follows = first.first;
        for record in &page {
            assert_eq!(record.first, follows, "records ascend without a gap");
            follows = record.last().next();
        }
        next = follows;
    }
}

pub(super) fn every_length_pages_whole(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    for (number, length) in (1..).zip([1, 2, 99, 100, 101, 255, 256, 257, 1_000]) {
        let mut story = Story::new(run(number));
        let mut writes: Vec<_> = (0..length).map(|event| story.append(1, bytes(12, event))).collect();
        writes.push(story.head());
        fixture.commit(writes);
        for limit in [1_000, 256, 100, 99, 7] {
            assert_eq!(page_through(fixture.store(), run(number), 1, limit), EventId(length));
        }
        assert_eq!(page_through(fixture.store(), run(number), length, 1), EventId(length));
        assert_eq!(ok(fixture.store().history(SHARD, run(number), EventId(length + 1), 5)), []);
    }
}

pub(super) fn a_long_history_pages_whole(harness: &mut dyn Harness) {
    const LENGTH: u64 = 65_537;
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    let mut sizes = (1..=17).cycle();
    while story.end.last_event.0 < LENGTH {
        let mut writes = Vec::new();
        while writes.len() < 400 && story.end.last_event.0 < LENGTH {
            let left = u32::try_from(LENGTH - story.end.last_event.0).unwrap_or(u32::MAX);
            let count = sizes.next().unwrap_or(1).min(left);
            writes.push(story.append(count, bytes(10, u64::from(count))));
        }
        writes.push(story.head());
        let transition = fixture.transition(SHARD, writes);
        fixture.group(vec![transition]);
    }
    assert_eq!(page_through(fixture.store(), run(1), 1, 1_000), EventId(LENGTH));
    for from in [255, 256, 257, 65_535, 65_536, 65_537] {
        assert_eq!(page_through(fixture.store(), run(1), from, 300), EventId(LENGTH));
    }
    fixture.reopen();
    assert_eq!(page_through(fixture.store(), run(1), 60_000, 100), EventId(LENGTH));
}

pub(super) fn a_page_begins_with_the_record_that_holds_the_event(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    let records = [3, 1, 5, 2].map(|count| {
        let record = story.record(count, bytes(15, u64::from(count)));
        story.end = story.end.with(&record);
        record
    });
    let append = |record: &HistoryRecord| crate::contract::Write::AppendHistory {
        run: run(1),
        record: record.clone(),
    };
    let mut writes: Vec<_> = records.iter().map(append).collect();
    writes.push(story.head());
    fixture.commit(writes);
    let holding = [0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 3, 3];
    for (from, index) in (0..).zip(holding) {
        let page = ok(fixture.store().history(SHARD, run(1), EventId(from), 10));
        assert_eq!(page, records[index..], "read from event {from}");
        let page = ok(fixture.store().history(SHARD, run(1), EventId(from), 1));
        assert_eq!(page, records[index..=index]);
    }
    assert_eq!(ok(fixture.store().history(SHARD, run(1), EventId(12), 10)), []);
    assert_eq!(ok(fixture.store().history(SHARD, run(1), EventId(1), 0)), []);
}

pub(super) fn records_of_other_runs_and_shards_do_not_show(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut stories = [1, 2, 256, 257].map(|number| Story::new(run(number)));
    for round in 0..3 {
        for story in &mut stories {
            let append = story.append(1, bytes(8, round));
            let head = story.head();
            fixture.commit(vec![append, head]);
        }
    }
    for story in &stories {
        assert_eq!(page_through(fixture.store(), story.run, 1, 2), EventId(3));
        assert_eq!(ok(fixture.store().history(ShardId(1), story.run, EventId(1), 10)), []);
        assert_eq!(ok(fixture.store().head(ShardId(1), story.run)), None);
    }
    let mut elsewhere = Story::new(run(1));
    fixture.commit_in(ShardId(1), elsewhere.step());
    assert_eq!(page_through(fixture.store(), run(1), 1, 10), EventId(3));
}

pub(super) fn a_loaded_history_is_proved_whole(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    let mut written = Vec::new();
    for activation in 0..300_u32 {
        let first = story.end.last_event.next().0;
        let count = 1 + activation % 3;
        let events: Vec<Event> = (first..first + u64::from(count))
            .map(|id| Event {
                id: EventId(id),
                at: at(id),
                kind: EventKind::TimerFired(TimerFired { started: EventId(id) }),
            })
            .collect();
        let append = story.append(count, ok(encode_events(&events)));
        let head = story.head();
        fixture.commit(vec![append, head]);
        written.extend(events);
    }
    fixture.reopen();
    let store = fixture.store();
    let Some(head) = ok(Runs::head(store, SHARD, run(1))) else { panic!("the head is gone") };
    assert_eq!(ok(load_history(store, SHARD, &head)), written);
    let mut lying = head.clone();
    lying.history_hash ^= 1;
    assert!(load_history(store, SHARD, &lying).is_err(), "another hash is noticed");
    lying = head.clone();
    lying.last_event = lying.last_event.next();
    assert!(load_history(store, SHARD, &lying).is_err(), "a missing tail is noticed");
    lying = head;
    lying.last_event = EventId(lying.last_event.0 - 1);
    assert!(load_history(store, SHARD, &lying).is_err(), "a surplus tail is noticed");
}
