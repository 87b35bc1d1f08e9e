//! Two namespaces in one place.

use super::fixture::{Fixture, LONG};
use super::harness::Harness;
use super::rows::{SHARD, everything, ok, one_of_each};
use crate::contract::{Group, Refusal, Transition, Verdict};

pub(super) fn nothing_of_another_namespace_shows(harness: &mut dyn Harness) {
    let Some(other) = harness.other_namespace() else { return };
    let empty = everything(&*other);
    let mut fixture = Fixture::new(harness);
    fixture.commit(one_of_each());
    let here = everything(fixture.store());
    assert_eq!(everything(&*other), empty);
    let session = ok(other.open_session("other", LONG)).id;
    let epoch = ok(other.claim_shard(session, SHARD)).epoch;
    let transition = Transition { shard: SHARD, epoch, expected: None, writes: one_of_each() };
    let verdicts =
        ok(other.commit(&Group { at: ok(fixture.store().last_time()), transitions: vec![transition] }));
    assert_eq!(verdicts, [Verdict::Committed]);
    assert_eq!(everything(&*other), here, "the same writes look the same in both");
    assert_eq!(everything(fixture.store()), here);
}

pub(super) fn owners_and_sessions_are_kept_apart(harness: &mut dyn Harness) {
    let Some(other) = harness.other_namespace() else { return };
    let mut fixture = Fixture::new(harness);
    fixture.take_over();
    assert_eq!(ok(other.sessions()), []);
    assert!(ok(other.shards()).iter().all(|row| row.epoch.0 == 0 && row.owner.is_none()));
    let transition = fixture.transition(SHARD, one_of_each());
    let verdicts = ok(other.commit(&Group { at: ok(other.now()), transitions: vec![transition] }));
    assert!(matches!(verdicts[..], [Verdict::Refused(Refusal::LostShard { .. })]), "{verdicts:?}");
}
