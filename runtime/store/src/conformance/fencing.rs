//! Who may write: the session that owns the shard, under the shard's present epoch, and nobody else.

use std::thread;
use std::time::Duration;

use steadfast_core::{Epoch, SessionId, ShardId};

use super::fixture::{Fixture, LONG};
use super::harness::Harness;
use super::rows::{SHARD, at, ok, run};
use crate::contract::{ClaimError, Group, Refusal, ShardRow, Store, Transition, Verdict, Write};

fn write(epoch: Epoch) -> Transition {
    Transition { shard: SHARD, epoch, expected: None, writes: vec![Write::PutDue { at: at(1), run: run(1) }] }
}

fn commit(store: &dyn Store, epoch: Epoch) -> Verdict {
    ok(store.commit(&Group { at: at(1), transitions: vec![write(epoch)] }))[0]
}

fn row_of(store: &dyn Store, shard: ShardId) -> ShardRow {
    ok(store.shards())[usize::from(shard.0)]
}

pub(super) fn another_epoch_is_refused(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let before = fixture.epoch(SHARD);
    fixture.take_over();
    let now = fixture.epoch(SHARD);
    assert_eq!(now, Epoch(before.0 + 1));
    for epoch in [Epoch(0), before, Epoch(now.0 + 1), Epoch(u64::MAX)] {
        assert_eq!(commit(fixture.store(), epoch), Verdict::Refused(Refusal::LostShard { now }));
    }
    assert_eq!(commit(fixture.store(), now), Verdict::Committed);
}

pub(super) fn a_shard_without_an_owner_takes_nothing(harness: &mut dyn Harness) {
    let store = harness.store();
    let lost = |now| Verdict::Refused(Refusal::LostShard { now });
    assert_eq!(commit(store, Epoch(0)), lost(Epoch(0)), "nobody has claimed it yet");
    let session = ok(store.open_session("a", LONG)).id;
    let epoch = ok(store.claim_shard(session, SHARD)).epoch;
    assert_eq!(commit(store, epoch), Verdict::Committed);
    ok(store.release_shard(session, SHARD));
    assert_eq!(commit(store, epoch), lost(epoch), "it was given up");
    assert_eq!(row_of(store, SHARD), ShardRow { shard: SHARD, epoch, owner: None });
}

pub(super) fn an_ended_session_commits_nothing(harness: &mut dyn Harness) {
    let fixture = Fixture::new(harness);
    let (store, now) = (fixture.store(), fixture.epoch(SHARD));
    ok(store.end_session(fixture.session));
    assert_eq!(commit(store, now), Verdict::Refused(Refusal::LostShard { now }));
}

pub(super) fn a_session_that_overslept_goes_on(harness: &mut dyn Harness) {
    if !harness.advance(Duration::ZERO) {
        return;
    }
    let session = ok(harness.store().open_session("sleeper", Duration::from_secs(10))).id;
    let epoch = ok(harness.store().claim_shard(session, SHARD)).epoch;
    harness.advance(Duration::from_secs(1_000));
    assert_eq!(commit(harness.store(), epoch), Verdict::Committed, "nobody ended it");
}

pub(super) fn of_two_claimers_one_wins(harness: &mut dyn Harness) {
    let store = harness.store();
    let (one, two) = (ok(store.open_session("one", LONG)).id, ok(store.open_session("two", LONG)).id);
    let row = ok(store.claim_shard(one, SHARD));
    assert_eq!(row, ShardRow { shard: SHARD, epoch: Epoch(1), owner: Some(one) });
    let lost = store.claim_shard(two, SHARD);
    assert!(
        matches!(lost, Err(ClaimError::Held { shard: SHARD, owner }) if owner == one),
        "the loser learns who owns it: {lost:?}"
    );
    assert_eq!(row_of(store, SHARD), row);
    assert_eq!(ok(store.claim_shard(two, ShardId(1))).owner, Some(two), "another shard is free");
}

pub(super) fn of_many_claimers_at_once_one_wins(harness: &mut dyn Harness) {
    let store = harness.store();
    let sessions: Vec<SessionId> = (0..4).map(|_| ok(store.open_session("many", LONG)).id).collect();
    let shards = store.shard_count().min(8);
    let won: Vec<Vec<ShardId>> = thread::scope(|scope| {
        let claims = |session| {
            let claim = move |shard| store.claim_shard(session, shard).is_ok().then_some(shard);
            scope.spawn(move || (0..shards).map(ShardId).filter_map(claim).collect())
        };
        let threads: Vec<_> = sessions.iter().copied().map(claims).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let mut all: Vec<_> = won.concat();
    all.sort();
    assert_eq!(all, (0..shards).map(ShardId).collect::<Vec<_>>(), "each shard was won once");
    assert!(ok(store.shards()).iter().take(usize::from(shards)).all(|row| row.epoch == Epoch(1)));
}

pub(super) fn an_epoch_rises_by_exactly_one(harness: &mut dyn Harness) {
    let store = harness.store();
    assert_eq!(row_of(store, SHARD), ShardRow { shard: SHARD, epoch: Epoch(0), owner: None });
    let mut epoch = 0;
    for round in 0..6 {
        let session = ok(store.open_session("round", LONG)).id;
        let row = ok(store.claim_shard(session, SHARD));
        epoch += 1;
        assert_eq!(row.epoch, Epoch(epoch));
        assert_eq!(ok(store.claim_shard(session, SHARD)), row, "claiming one's own changes nothing");
        match round % 3 {
            0 => ok(store.release_shard(session, SHARD)),
            1 => ok(store.end_session(session)),
            _ => {
                ok(store.release_shard(session, SHARD));
                assert_eq!(row_of(store, SHARD).epoch, Epoch(epoch), "giving up does not raise it");
                ok(store.end_session(session));
            }
        }
    }
    assert_eq!(row_of(store, ShardId(1)).epoch, Epoch(0), "other shards did not change hands");
}

pub(super) fn only_a_live_session_claims(harness: &mut dyn Harness) {
    let store = harness.store();
    let session = ok(store.open_session("a", LONG)).id;
    ok(store.end_session(session));
    for dead in [session, SessionId(77_777)] {
        let claim = store.claim_shard(dead, SHARD);
        assert!(matches!(claim, Err(ClaimError::SessionEnded(id)) if id == dead), "{claim:?}");
    }
    let live = ok(store.open_session("b", LONG)).id;
    let beyond = store.claim_shard(live, ShardId(store.shard_count()));
    assert!(matches!(beyond, Err(ClaimError::Store(_))), "there is no such shard: {beyond:?}");
}

pub(super) fn giving_up_what_is_not_ones_own_changes_nothing(harness: &mut dyn Harness) {
    let fixture = Fixture::new(harness);
    let store = fixture.store();
    let other = ok(store.open_session("other", LONG)).id;
    let before = ok(store.shards());
    ok(store.release_shard(other, SHARD));
    ok(store.release_shard(SessionId(77_777), ShardId(1)));
    assert_eq!(ok(store.shards()), before);
}
