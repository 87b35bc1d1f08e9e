//! Tasks: each attempt goes to one session, as long as that lives.

use std::collections::BTreeSet;
use std::thread;

use steadfast_core::{EventId, SessionId};

use super::fixture::{Fixture, LONG};
use super::harness::Harness;
use super::rows::{ok, queue, run, task};
use crate::contract::{Store, TaskRow, Write};

/// A fixture with `count` tasks in a queue, the oldest with the highest run.
fn offered(harness: &mut dyn Harness, count: u64) -> Fixture<'_> {
    let mut fixture = Fixture::new(harness);
    let put =
        |number| Write::PutTask { queue: queue("tours"), row: task(run(number), number, 1_000 - number) };
    fixture.commit((1..=count).map(put).collect());
    fixture
}

fn session(store: &dyn Store) -> SessionId {
    ok(store.open_session("worker", LONG)).id
}

fn claim(store: &dyn Store, session: SessionId, limit: usize) -> Vec<u64> {
    let rows = ok(store.claim_tasks(&queue("tours"), session, limit));
    assert!(rows.iter().all(|row| row.claimed_by == Some(session)));
    rows.iter().map(|row| row.scheduled.0).collect()
}

pub(super) fn the_oldest_are_claimed_first(harness: &mut dyn Harness) {
    let fixture = offered(harness, 6);
    let worker = session(fixture.store());
    let of = |numbers: &[u64]| -> Vec<TaskRow> {
        numbers.iter().map(|number| task(run(*number), *number, 1_000 - *number)).collect()
    };
    assert_eq!(ok(fixture.store().tasks(&queue("tours"), 10)), of(&[6, 5, 4, 3, 2, 1]));
    assert_eq!(ok(fixture.store().tasks(&queue("tours"), 2)), of(&[6, 5]));
    assert_eq!(claim(fixture.store(), worker, 2), [6, 5]);
    assert_eq!(claim(fixture.store(), worker, 2), [4, 3]);
    assert_eq!(claim(fixture.store(), worker, 0), [0; 0]);
    let claimed: Vec<_> = ok(fixture.store().tasks(&queue("tours"), 10));
    let owners: Vec<_> = claimed.iter().map(|row| row.claimed_by.is_some()).collect();
    assert_eq!(owners, [true, true, true, true, false, false], "claimed tasks stay listed");
}

pub(super) fn no_two_claims_get_the_same_task(harness: &mut dyn Harness) {
    let fixture = offered(harness, 100);
    let store = fixture.store();
    let claimed: Vec<u64> = thread::scope(|scope| {
        let work = || {
            let worker = session(store);
            let mut mine = Vec::new();
            loop {
                let more = claim(store, worker, 7);
                // A store that gives one task out again and again must not keep the suite going for ever.
                if more.is_empty() || mine.len() > 100 {
                    return mine;
                }
                mine.extend(more);
            }
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    });
    assert_eq!(claimed.len(), 100);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), 100);
}

pub(super) fn a_claim_ends_with_its_session(harness: &mut dyn Harness) {
    let fixture = offered(harness, 3);
    let store = fixture.store();
    let (first, second) = (session(store), session(store));
    assert_eq!(claim(store, first, 2), [3, 2]);
    ok(store.end_session(first));
    assert_eq!(claim(store, second, 10), [3, 2, 1], "claims of an ended session are void");
    assert_eq!(claim(store, second, 10), [0; 0], "one's own are not claimed again");
}

pub(super) fn a_released_task_can_be_claimed_again(harness: &mut dyn Harness) {
    let fixture = offered(harness, 2);
    let store = fixture.store();
    let (first, second) = (session(store), session(store));
    assert_eq!(claim(store, first, 2), [2, 1]);
    ok(store.release_task(&queue("tours"), first, run(2), EventId(2)));
    assert_eq!(claim(store, second, 2), [2]);
}

pub(super) fn only_the_claimer_releases(harness: &mut dyn Harness) {
    let mut fixture = offered(harness, 2);
    let (first, second) = (session(fixture.store()), session(fixture.store()));
    assert_eq!(claim(fixture.store(), first, 1), [2]);
    let before = ok(fixture.store().tasks(&queue("tours"), 10));
    for (number, by) in [(2, second), (1, second), (9, first)] {
        ok(fixture.store().release_task(&queue("tours"), by, run(number), EventId(number)));
    }
    assert_eq!(ok(fixture.store().tasks(&queue("tours"), 10)), before);
    // The owner of the shard may remove it, claimed or not.
    fixture.commit(vec![Write::DeleteTask { queue: queue("tours"), run: run(2), scheduled: EventId(2) }]);
    ok(fixture.store().release_task(&queue("tours"), first, run(2), EventId(2)));
    assert_eq!(claim(fixture.store(), second, 10), [1]);
}

pub(super) fn a_session_that_has_ended_gets_nothing(harness: &mut dyn Harness) {
    let fixture = offered(harness, 2);
    let store = fixture.store();
    let worker = session(store);
    ok(store.end_session(worker));
    for dead in [worker, SessionId(77_777)] {
        assert_eq!(claim(store, dead, 10), [0; 0]);
    }
    assert!(ok(store.tasks(&queue("tours"), 10)).iter().all(|row| row.claimed_by.is_none()));
}

pub(super) fn queues_do_not_mix(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let long = "q".repeat(900);
    let names = ["a", "ab", "b", &long, &format!("{long}x")];
    for (number, name) in (1..).zip(names) {
        fixture.commit(vec![Write::PutTask { queue: queue(name), row: task(run(number), number, number) }]);
    }
    let worker = session(fixture.store());
    for (number, name) in (1..).zip(names) {
        let rows = ok(fixture.store().claim_tasks(&queue(name), worker, 10));
        assert_eq!(rows.iter().map(|row| row.run).collect::<Vec<_>>(), [run(number)]);
    }
}
