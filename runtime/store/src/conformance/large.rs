//! Large transitions, large groups, large rows.

use steadfast_core::EventId;

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, Story, at, bytes, head, item, ok, run};
use crate::contract::{DueEntry, Refusal, Verdict, Write};

pub(super) fn a_transition_of_many_keys_stays_whole(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let many = |of: u64| -> Vec<Write> {
        (0..1_500).map(|second| Write::PutDue { at: at(second), run: run(of) }).collect()
    };
    fixture.commit(many(1));
    let mut bad = many(2);
    let mut ahead = Story::new(run(2));
    drop(ahead.step());
    bad.extend(ahead.step());
    let refused = fixture.transition(SHARD, bad);
    let refusal = Refusal::NotContiguous { run: run(2), now: EventId(0) };
    assert_eq!(fixture.verdict(refused), Verdict::Refused(refusal));
    let expected: Vec<_> = (0..1_500).map(|second| DueEntry { at: at(second), run: run(1) }).collect();
    assert_eq!(ok(fixture.store().due(SHARD, None, at(9_999), 5_000)), expected);
    fixture.reopen();
    assert_eq!(ok(fixture.store().due(SHARD, None, at(9_999), 5_000)), expected);
}

pub(super) fn a_group_of_many_transitions_is_stored_in_order(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut stories: Vec<_> = (1..=40).map(|number| Story::new(run(number))).collect();
    let mut group = Vec::new();
    for _ in 0..20 {
        for story in &mut stories {
            let (expected, writes) = (story.expected(), story.step());
            group.push(fixture.expecting(expected, writes));
        }
    }
    let verdicts = fixture.group(group);
    assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Committed));
    fixture.reopen();
    for story in &stories {
        let read = ok(fixture.store().head(SHARD, story.run));
        assert_eq!(read.as_ref().map(|head| head.last_event), Some(EventId(20)));
        assert_eq!(read.map(|head| head.history_hash), Some(story.end.hash));
        assert_eq!(ok(fixture.store().history(SHARD, story.run, EventId(1), 100)).len(), 20);
    }
}

pub(super) fn large_history_records_come_back_whole(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    let lengths = [0, 1, 3_584, 4_096, 65_536, 300_000, 2 * 1024 * 1024 + 1_024];
    let mut bodies = Vec::new();
    for (seed, length) in (0..).zip(lengths) {
        let body = bytes(length, seed);
        let append = story.append(1, body.clone());
        let head = story.head();
        fixture.commit(vec![append, head]);
        bodies.push(body);
    }
    for _ in 0..2 {
        let records = ok(fixture.store().history(SHARD, run(1), EventId(1), 100));
        let read: Vec<_> = records.into_iter().map(|record| record.body).collect();
        assert!(read == bodies, "a body came back changed");
        fixture.reopen();
    }
}

pub(super) fn a_row_grows_and_shrinks_without_remains(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    for (seed, length) in (0..).zip([10, 20_000, 9_000, 0, 4_096, 4_000, 50_000, 1]) {
        let body = bytes(length, seed);
        let put = Write::PutHead(head(run(1), Story::new(run(1)).end, body.clone()));
        let mut row = item(7, 0);
        row.body.clone_from(&body);
        fixture.commit(vec![put, Write::PutItem { run: run(1), row }]);
        assert_eq!(ok(fixture.store().head(SHARD, run(1))).map(|head| head.body), Some(body.clone()));
        assert_eq!(ok(fixture.store().items(SHARD, run(1), None, 9)).len(), 1, "chunks are not rows");
        assert_eq!(ok(fixture.store().items(SHARD, run(1), None, 9))[0].body, body);
    }
    fixture.commit(vec![Write::PutItem { run: run(1), row: item(7, 30_000) }]);
    fixture.commit(vec![Write::DeleteItem { run: run(1), item: EventId(7) }]);
    fixture.commit(vec![Write::PutItem { run: run(1), row: item(7, 5) }]);
    fixture.reopen();
    assert_eq!(ok(fixture.store().items(SHARD, run(1), None, 9)), [item(7, 5)]);
}

pub(super) fn every_size_around_the_edges_comes_back(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let lengths: Vec<usize> = (4_040..4_110).chain(8_120..8_200).collect();
    let put = |length: &usize| Write::PutItem { run: run(1), row: item(*length as u64, *length) };
    fixture.commit(lengths.iter().map(put).collect());
    let rows = ok(fixture.store().items(SHARD, run(1), None, 1_000));
    let expected: Vec<_> = lengths.iter().map(|length| item(*length as u64, *length)).collect();
    assert!(rows == expected, "a row came back changed");
}
