use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use steadfast_core::{ActivityName, BreakerState, CircuitBreaker, Timestamp, Verdict};
use steadfast_store::{Breakers as _, Commits, Group, MemoryStore, Sessions, Transition, Write};

use super::{Acquired, BreakerOrder, Dispatcher, Ordered, Seek, Slot, Want, queue, task, worker};
use crate::dispatch::{BreakerId, Breakers};
use crate::registry::WorkerId;

const W1: WorkerId = WorkerId(1);

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn id() -> BreakerId {
    BreakerId { activity: ActivityName::new("charge").unwrap(), key: "eu".into() }
}

/// Opens after two failures for 30 s; two successes close it.
fn options() -> CircuitBreaker {
    CircuitBreaker::new(2).successes(2).key("eu")
}

/// A dispatcher with `slots` slots, and when it says that a breaker is tried again.
fn dispatcher(slots: usize) -> (Dispatcher, Arc<AtomicU64>) {
    let trial = Arc::new(AtomicU64::new(0));
    let mut dispatcher = Dispatcher::new(Breakers::default(), Arc::clone(&trial));
    dispatcher.add_worker(W1, &worker(&["charge"], slots));
    (dispatcher, trial)
}

fn seek(dispatcher: &mut Dispatcher, item: u64, second: u64) -> Option<Slot> {
    let want = Want::Activity(id().activity, Some(id()));
    let (queue, options) = (queue(), options());
    let acquired = dispatcher.acquire(Seek {
        queue: &queue,
        want: &want,
        task: task(item),
        breaker: Some(&options),
        spare: None,
        now: at(second),
    });
    match acquired {
        Acquired::Slot { slot, .. } => Some(slot),
        Acquired::Waits => None,
        Acquired::NotRegistered(reason) => panic!("{reason}"),
    }
}

/// The attempt in a slot says something of the service, and gives the slot back. Gives the items that are offered one.
fn end(dispatcher: &mut Dispatcher, mut slot: Slot, verdict: Verdict, second: u64) -> Vec<(u64, Slot)> {
    let permit = slot.permit.take().unwrap();
    let mut offers = dispatcher.ended(&permit, verdict, at(second)).offers;
    offers.extend(dispatcher.release(slot));
    offers.into_iter().map(|offer| (offer.task.item.0, offer.slot)).collect()
}

/// A dispatcher whose breaker has just opened, with 50 tasks that wait for it.
fn opened() -> (Dispatcher, Arc<AtomicU64>) {
    let (mut dispatcher, trial) = dispatcher(100);
    for item in [1, 2] {
        let slot = seek(&mut dispatcher, item, 0).unwrap();
        assert!(end(&mut dispatcher, slot, Verdict::Failure, 0).is_empty());
    }
    assert_eq!(trial.load(Ordering::Relaxed), 30_000_000);
    for item in 100..150 {
        assert_eq!(seek(&mut dispatcher, item, 1), None);
    }
    assert_eq!(dispatcher.in_use(), 0);
    (dispatcher, trial)
}

fn tried(dispatcher: &mut Dispatcher, second: u64) -> Vec<(u64, Slot)> {
    let offers = dispatcher.try_breakers(at(second)).into_iter();
    offers.map(|offer| (offer.task.item.0, offer.slot)).collect()
}

fn items(offered: &[(u64, Slot)]) -> Vec<u64> {
    offered.iter().map(|(item, _)| *item).collect()
}

#[test]
fn what_waits_is_tried_when_the_time_has_come_and_never_more_at_once_than_close_it() {
    let (mut dispatcher, trial) = opened();
    assert_eq!(dispatcher.kept_until(&task(100)), Some(Some(at(30))));
    assert!(tried(&mut dispatcher, 29).is_empty());
    let offered = tried(&mut dispatcher, 30);
    assert_eq!((items(&offered), dispatcher.in_use()), (vec![100, 101], 2));
    assert_eq!(trial.load(Ordering::Relaxed), u64::MAX);
    assert_eq!(seek(&mut dispatcher, 200, 31), None);
    assert_eq!(dispatcher.kept_until(&task(149)), Some(Some(at(30))), "its turn is since then");
}

#[test]
fn a_permit_is_free_again_on_every_way_out() {
    let (mut dispatcher, _) = opened();
    let mut offered = tried(&mut dispatcher, 30);
    let second = offered.pop().unwrap().1;
    let first = offered.pop().unwrap().1;
    let offered = end(&mut dispatcher, first, Verdict::Neither, 31);
    assert_eq!(items(&offered), [102], "an answer that says nothing");
    let offered = dispatcher.release(second);
    assert_eq!(offered.len(), 1, "an attempt that never said anything");
    assert_eq!((offered[0].task.item.0, dispatcher.in_use()), (103, 2));
}

#[test]
fn two_successes_let_everybody_through_and_one_failure_nobody() {
    let (mut dispatcher, trial) = opened();
    let mut offered = tried(&mut dispatcher, 30);
    let second = offered.pop().unwrap().1;
    let first = offered.pop().unwrap().1;
    assert!(end(&mut dispatcher, first, Verdict::Success, 31).is_empty(), "one more success is needed");
    let offered = end(&mut dispatcher, second, Verdict::Success, 32);
    assert_eq!((offered.len(), dispatcher.in_use()), (48, 48));
    assert_eq!(trial.load(Ordering::Relaxed), u64::MAX);

    let (mut dispatcher, trial) = opened();
    let mut offered = tried(&mut dispatcher, 30);
    let late = offered.pop().unwrap().1;
    let first = offered.pop().unwrap().1;
    assert!(end(&mut dispatcher, first, Verdict::Failure, 40).is_empty());
    assert_eq!(trial.load(Ordering::Relaxed), 70_000_000);
    assert!(end(&mut dispatcher, late, Verdict::Success, 41).is_empty(), "it tells of the time before");
    assert_eq!(items(&tried(&mut dispatcher, 70)), [102, 103]);
}

#[test]
fn orders_of_operators_hold_at_once() {
    let (mut dispatcher, _) = opened();
    let order = |order| Ordered { at: at(5), who: "ann".into(), order };
    let changed = dispatcher.order(&id(), order(BreakerOrder::Reset));
    assert_eq!(changed.state, Some(BreakerState::Closed { failures: 0 }));
    assert_eq!((changed.offers.len(), changed.row.is_some()), (50, true));
    let changed = dispatcher.order(&id(), order(BreakerOrder::Reset));
    assert_eq!((changed.state, changed.row.is_some()), (None, true), "told only once it is durable");
    dispatcher.order(&id(), order(BreakerOrder::ForceOpen));
    assert_eq!(seek(&mut dispatcher, 7, 1_000_000), None);
    assert_eq!(dispatcher.kept_until(&task(7)), Some(None), "nobody knows until when");
}

#[test]
fn other_activities_and_other_keys_go_on() {
    let (mut dispatcher, _) = opened();
    let other = BreakerId { key: "us".into(), ..id() };
    let (queue, options) = (queue(), CircuitBreaker::new(2).key("us"));
    let want = Want::Activity(other.activity.clone(), Some(other));
    let acquired = dispatcher.acquire(Seek {
        queue: &queue,
        want: &want,
        task: task(500),
        breaker: Some(&options),
        spare: None,
        now: at(2),
    });
    assert!(matches!(acquired, Acquired::Slot { .. }), "{acquired:?}");
}

#[test]
fn what_was_written_is_read_again_and_what_is_in_doubt_is_written_again() {
    let (mut dispatcher, _) = dispatcher(100);
    let slot = seek(&mut dispatcher, 1, 0).unwrap();
    let permit = slot.permit.unwrap();
    let row = dispatcher.ended(&permit, Verdict::Failure, at(0)).row.unwrap();
    assert_eq!(dispatcher.breaker_row(&permit), None, "it was handed out");
    dispatcher.doubt_breakers();
    assert_eq!(dispatcher.breaker_row(&permit), Some(row.clone()));
    let store = MemoryStore::new(steadfast_core::Namespace::new("n").unwrap(), 1, at(0));
    let session = store.open_session("engine", Duration::from_secs(5)).unwrap();
    let owned = store.claim_shard(session.id, steadfast_core::ShardId(0)).unwrap();
    let mut broken = row.clone();
    (broken.key, broken.body) = ("broken".to_owned(), vec![1]);
    let writes = vec![Write::PutBreaker(row), Write::PutBreaker(broken)];
    let transition = Transition { shard: owned.shard, epoch: owned.epoch, expected: None, writes };
    store.commit(&Group { at: at(1), transitions: vec![transition] }).unwrap();
    let mut again = Dispatcher::new(Breakers::read(&store), Arc::default());
    again.add_worker(W1, &worker(&["charge"], 100));
    let slot = seek(&mut again, 1, 2).unwrap();
    let changed = again.ended(&slot.permit.unwrap(), Verdict::Failure, at(2));
    assert_eq!(changed.state, Some(BreakerState::Open { until: Some(at(32)) }), "it is the second in a row");
    let newer = changed.row.unwrap();
    assert!(store.breakers(None, 9).unwrap().rows.iter().any(|old| old.version < newer.version));
}
