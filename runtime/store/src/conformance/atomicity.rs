//! A transition is stored whole or not at all, whatever becomes of the others in its group.

use steadfast_core::{Epoch, EventId};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, Story, at, delete_each, everything, item, ok, one_of_each, run};
use crate::contract::{DueEntry, Expected, Group, Refusal, Transition, Verdict, Write};

pub(super) fn a_refused_transition_leaves_nothing(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let before = everything(fixture.store());
    let moved = fixture.expecting(Expected { run: run(1), last_event: EventId(5) }, one_of_each());
    assert_eq!(fixture.verdict(moved), Verdict::Refused(Refusal::Moved { now: EventId(0) }));
    let mut writes = one_of_each();
    let mut ahead = Story::new(run(3));
    drop(ahead.step());
    writes.extend(ahead.step());
    let gap = fixture.transition(SHARD, writes);
    let refusal = Refusal::NotContiguous { run: run(3), now: EventId(0) };
    assert_eq!(fixture.verdict(gap), Verdict::Refused(refusal), "the fault stands behind good writes");
    assert_eq!(everything(fixture.store()), before);
}

pub(super) fn the_others_in_a_group_commit(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let epoch = fixture.epoch(SHARD);
    let due = |seconds| Write::PutDue { at: at(seconds), run: run(1) };
    let stale = Transition { epoch: Epoch(epoch.0 - 1), ..fixture.transition(SHARD, vec![due(2)]) };
    let group = vec![fixture.transition(SHARD, vec![due(1)]), stale, fixture.transition(SHARD, vec![due(3)])];
    let verdicts = fixture.group(group);
    let refused = Verdict::Refused(Refusal::LostShard { now: epoch });
    assert_eq!(verdicts, [Verdict::Committed, refused, Verdict::Committed]);
    let due = ok(fixture.store().due(SHARD, None, at(10), 10));
    assert_eq!(due, [1, 3].map(|seconds| DueEntry { at: at(seconds), run: run(1) }));
}

pub(super) fn a_transition_builds_on_the_one_before_it_in_its_group(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    let first = (story.expected(), story.step());
    let mut other = story.clone();
    let second = (story.expected(), story.step());
    // Made from the same state as the second: it comes too late.
    let third = (other.expected(), other.step());
    let group = [first, second, third].map(|(expected, writes)| fixture.expecting(expected, writes));
    let verdicts = fixture.group(group.to_vec());
    let moved = Verdict::Refused(Refusal::Moved { now: EventId(2) });
    assert_eq!(verdicts, [Verdict::Committed, Verdict::Committed, moved]);
    assert_eq!(ok(fixture.store().head(SHARD, run(1))).map(|head| head.last_event), Some(EventId(2)));
    let records = ok(fixture.store().history(SHARD, run(1), EventId(1), 10));
    assert_eq!(records.len(), 2);
}

pub(super) fn every_write_can_be_read_back_and_undone(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    fixture.commit(story.step());
    let before = everything(fixture.store());
    let mut fresh = one_of_each();
    // The history goes on instead of beginning again.
    fresh.retain(|write| !matches!(write, Write::AppendHistory { .. } | Write::PutHead(_)));
    fixture.commit(fresh);
    let full = everything(fixture.store());
    for kind in ["items: [ItemRow", "mail: [MailRow", "dead letter: Some", "current: Some", "request: Some"] {
        assert!(full.contains(kind), "`{kind}` is not there:\n{full}");
    }
    for kind in
        ["due: [DueEntry", "inbox: [InboxRow", "tasks: [TaskRow", "list: [ListingRow", "breakers: [Br"]
    {
        assert!(full.contains(kind), "`{kind}` is not there:\n{full}");
    }
    fixture.commit(delete_each());
    let after = everything(fixture.store());
    // Current runs, requests and breakers cannot be deleted; the time moved on.
    let lasting = |text: &str| -> Vec<String> {
        let lasts = ["current", "request", "breakers", "time"];
        text.lines()
            .filter(|line| !lasts.iter().any(|name| line.starts_with(name)))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(lasting(&after), lasting(&before));
}

pub(super) fn deleting_what_is_not_there_is_no_error(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit(delete_each());
    let before = everything(fixture.store()).replace("time", "");
    fixture.commit(delete_each());
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&everything(fixture.store())), lines(&before));
}

pub(super) fn writes_are_applied_in_order(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let put = |event, length| Write::PutItem { run: run(1), row: item(event, length) };
    let delete = |event| Write::DeleteItem { run: run(1), item: EventId(event) };
    fixture.commit(vec![
        put(1, 10),
        put(1, 9_000),
        delete(1),
        put(2, 9_000),
        put(2, 10),
        delete(3),
        put(3, 9),
    ]);
    let rows = ok(fixture.store().items(SHARD, run(1), None, 10));
    assert_eq!(rows, [item(2, 10), item(3, 9)]);
}

pub(super) fn an_empty_group_changes_nothing(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit(one_of_each());
    let before = everything(fixture.store());
    let late = Group { at: at(1_000_000), transitions: Vec::new() };
    assert_eq!(ok(fixture.store().commit(&late)), []);
    assert_eq!(everything(fixture.store()), before);
}
