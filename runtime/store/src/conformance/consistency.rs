//! What a store refuses whoever asks: rows that contradict each other.

use steadfast_core::{EventId, ShardId};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, Story, bytes, dead_letter, everything, head, message, queue, run, task};
use crate::contract::{HistoryEnd, HistoryRecord, Refusal, Verdict, Write};

#[track_caller]
fn refuse(fixture: &mut Fixture<'_>, writes: Vec<Write>, is_right: impl Fn(&Refusal) -> bool) {
    let before = everything(fixture.store());
    let transition = fixture.transition(SHARD, writes);
    let verdict = fixture.verdict(transition);
    assert!(matches!(&verdict, Verdict::Refused(refusal) if is_right(refusal)), "it was {verdict:?}");
    assert_eq!(everything(fixture.store()), before);
}

fn is_gap(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotContiguous { .. })
}

fn is_contradiction(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Inconsistent(_))
}

pub(super) fn events_follow_without_a_gap(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    fixture.commit(story.step());
    fixture.commit(story.step());
    for first in [0, 1, 2, 4, u64::MAX] {
        let record = HistoryRecord { first: EventId(first), count: 1, body: bytes(9, 1) };
        let append = Write::AppendHistory { run: run(1), record };
        refuse(&mut fixture, vec![append, story.head()], is_gap);
    }
    let record = HistoryRecord { first: EventId(3), count: 0, body: Vec::new() };
    refuse(&mut fixture, vec![Write::AppendHistory { run: run(1), record }], is_contradiction);
    fixture.commit(story.step());
}

pub(super) fn a_head_and_its_history_change_together(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    fixture.commit(story.step());
    let mut ahead = story.clone();
    let append = ahead.append(2, bytes(30, 1));
    refuse(&mut fixture, vec![append.clone()], is_contradiction);
    refuse(&mut fixture, vec![ahead.head()], is_contradiction);
    // A head alone may change if it does not move; the order within a transition does not matter.
    fixture.commit(vec![story.head()]);
    fixture.commit(vec![ahead.head(), append]);
    fixture.commit(vec![Write::PutHead(head(run(2), HistoryEnd::default(), bytes(5, 5)))]);
}

pub(super) fn a_head_tells_the_truth_about_its_history(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    fixture.commit(story.step());
    let append = story.append(1, bytes(30, 7));
    for (hash, length) in [(1, 0), (0, 1)] {
        let lie = HistoryEnd { hash: story.end.hash ^ hash, bytes: story.end.bytes + length, ..story.end };
        let writes = vec![append.clone(), Write::PutHead(head(run(1), lie, Vec::new()))];
        refuse(&mut fixture, writes, is_contradiction);
    }
    fixture.commit(vec![append, story.head()]);
}

pub(super) fn rows_name_the_shard_they_stand_in(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let beyond = ShardId(fixture.store().shard_count());
    let row = crate::contract::TaskRow { shard: ShardId(1), ..task(run(1), 1, 1) };
    refuse(&mut fixture, vec![Write::PutTask { queue: queue("tours"), row }], is_contradiction);
    refuse(&mut fixture, vec![Write::PutDeadLetter(dead_letter(ShardId(1), run(1), 1))], is_contradiction);
    refuse(&mut fixture, vec![Write::PutMessage { to: beyond, row: message(run(1), 1) }], is_contradiction);
    let outside = crate::contract::Transition { shard: beyond, ..fixture.transition(SHARD, Vec::new()) };
    assert!(matches!(fixture.verdict(outside), Verdict::Refused(Refusal::Inconsistent(_))));
}
