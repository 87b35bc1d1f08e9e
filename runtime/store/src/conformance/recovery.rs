//! What a reopened store knows.

use std::time::Duration;

use super::fixture::{Fixture, LONG};
use super::harness::Harness;
use super::rows::{SHARD, Story, at, everything, ok, one_of_each, run};
use crate::contract::{Group, Write};

pub(super) fn everything_is_there_after_reopening(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit(one_of_each());
    let mut story = Story::new(run(2));
    for _ in 0..50 {
        fixture.commit(story.step());
    }
    let before = everything(fixture.store());
    for _ in 0..3 {
        fixture.reopen();
        assert_eq!(everything(fixture.store()), before);
    }
}

pub(super) fn the_highest_time_is_remembered(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let commit = |fixture: &Fixture<'_>, seconds| {
        let transitions = vec![fixture.transition(SHARD, vec![Write::PutDue { at: at(1), run: run(1) }])];
        ok(fixture.store().commit(&Group { at: at(seconds), transitions }));
        ok(fixture.store().last_time())
    };
    assert_eq!(ok(fixture.store().last_time()), at(0), "a new store remembers none");
    assert_eq!(commit(&fixture, 500), at(500));
    assert_eq!(commit(&fixture, 400), at(500), "it never falls");
    let mut refused = fixture.transition(SHARD, Vec::new());
    refused.epoch.0 += 1;
    ok(fixture.store().commit(&Group { at: at(900), transitions: vec![refused] }));
    assert_eq!(ok(fixture.store().last_time()), at(500), "nothing was committed at that time");
    fixture.reopen();
    assert_eq!(ok(fixture.store().last_time()), at(500));
    assert_eq!(commit(&fixture, 501), at(501));
}

pub(super) fn epochs_are_remembered(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.take_over();
    let before = fixture.epoch(SHARD);
    fixture.harness.reopen();
    assert_eq!(ok(fixture.store().shards())[0].epoch, before);
    fixture.take_over();
    assert_eq!(fixture.epoch(SHARD).0, before.0 + 1);
}

pub(super) fn sessions_are_as_the_store_says(harness: &mut dyn Harness) {
    let row = ok(harness.store().open_session("before", LONG));
    harness.reopen();
    let survived = harness.store().renew_session(row.id, Duration::from_secs(9)).is_ok();
    assert_eq!(survived, harness.sessions_survive());
    assert_eq!(ok(harness.store().sessions()).len(), usize::from(survived));
}

pub(super) fn work_goes_on_after_reopening(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut story = Story::new(run(1));
    for _ in 0..10 {
        for _ in 0..3 {
            let (expected, writes) = (story.expected(), story.step());
            let transition = fixture.expecting(expected, writes);
            assert_eq!(fixture.verdict(transition), crate::contract::Verdict::Committed);
        }
        fixture.reopen();
    }
    assert_eq!(
        ok(fixture.store().head(SHARD, run(1))).map(|head| head.last_event),
        Some(story.end.last_event)
    );
}
