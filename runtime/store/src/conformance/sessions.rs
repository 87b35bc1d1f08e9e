//! Sessions: leases by the store's clock, ends that somebody makes.

use std::collections::BTreeSet;
use std::time::Duration;

use steadfast_core::SessionId;

use super::fixture::LONG;
use super::harness::Harness;
use super::rows::ok;
use crate::contract::ClaimError;

const LEASE: Duration = Duration::from_secs(30);

pub(super) fn ids_are_never_given_out_twice(harness: &mut dyn Harness) {
    let mut ids = BTreeSet::new();
    for round in 0..3 {
        let last = ok(harness.store().open_session("last of its life", LONG)).id;
        for _ in 0..3 {
            let row = ok(harness.store().open_session("test", LONG));
            assert!(!row.ended && row.name == "test");
            assert!(ids.insert(row.id), "{} was given out twice", row.id);
            ok(harness.store().end_session(row.id));
        }
        assert!(ids.insert(last), "{last} was given out twice");
        if round < 2 {
            harness.reopen();
        }
    }
}

pub(super) fn a_lease_lapses_by_the_clock_of_the_store(harness: &mut dyn Harness) {
    if !harness.advance(Duration::ZERO) {
        return;
    }
    let now = ok(harness.store().now());
    let row = ok(harness.store().open_session("test", LEASE));
    assert_eq!(row.expires_at, now.after(LEASE));
    harness.advance(LEASE - Duration::from_micros(1));
    assert!(!ok(harness.store().end_session_if_lapsed(row.id)), "one microsecond is left");
    assert_eq!(ok(harness.store().sessions()), std::slice::from_ref(&row));
    harness.advance(Duration::from_micros(1));
    assert_eq!(ok(harness.store().sessions()), std::slice::from_ref(&row), "nobody has ended it yet");
    assert!(ok(harness.store().end_session_if_lapsed(row.id)));
    assert!(ok(harness.store().end_session_if_lapsed(row.id)), "who comes second learns the same");
    assert_eq!(ok(harness.store().sessions()), []);
}

pub(super) fn renewing_moves_the_end(harness: &mut dyn Harness) {
    if !harness.advance(Duration::ZERO) {
        return;
    }
    let row = ok(harness.store().open_session("test", LEASE));
    harness.advance(LEASE / 2);
    let now = ok(harness.store().now());
    let renewed = ok(harness.store().renew_session(row.id, LEASE));
    assert_eq!(renewed.expires_at, now.after(LEASE));
    assert_eq!(ok(harness.store().sessions()), [renewed]);
    harness.advance(LEASE / 2);
    assert!(!ok(harness.store().end_session_if_lapsed(row.id)), "it was renewed");
}

pub(super) fn an_ended_session_cannot_be_renewed(harness: &mut dyn Harness) {
    let store = harness.store();
    let row = ok(store.open_session("test", LEASE));
    ok(store.end_session(row.id));
    ok(store.end_session(row.id));
    for id in [row.id, SessionId(77_777)] {
        let renewed = store.renew_session(id, LEASE);
        assert!(matches!(renewed, Err(ClaimError::SessionEnded(ended)) if ended == id), "{renewed:?}");
    }
    assert_eq!(ok(store.sessions()), []);
}

pub(super) fn a_lapsed_session_that_nobody_ended_can_be_renewed(harness: &mut dyn Harness) {
    if !harness.advance(Duration::ZERO) {
        return;
    }
    let row = ok(harness.store().open_session("test", LEASE));
    harness.advance(LEASE * 10);
    ok(harness.store().renew_session(row.id, LEASE));
    assert!(!ok(harness.store().end_session_if_lapsed(row.id)));
}
