mod circuit;

use std::sync::Arc;

use steadfast_core::{ActivityName, ActivityOptions, EventId, Payload, QueueName, RunId, ShardId, Timestamp};

use super::*;
use crate::activity::ActivityBody;
use crate::registry::{WorkerId, WorkerSpec};

fn queue() -> QueueName {
    QueueName::new("q").unwrap()
}

fn want(name: &str) -> Want {
    Want::Activity(ActivityName::new(name).unwrap(), None)
}

/// Looks for a slot for an activity without a breaker.
fn seek(dispatcher: &mut Dispatcher, name: &str, item: u64, spare: Option<WorkerId>) -> Acquired {
    let (queue, want, now) = (queue(), want(name), Timestamp::ZERO);
    dispatcher.acquire(Seek { queue: &queue, want: &want, task: task(item), breaker: None, spare, now })
}

fn slot(worker: WorkerId) -> Slot {
    Slot { worker, permit: None }
}

fn task(item: u64) -> TaskRef {
    TaskRef { shard: ShardId(1), run: RunId::from_bytes([7; 16]), item: EventId(item) }
}

fn worker(activities: &[&str], slots: usize) -> WorkerSpec {
    let body: ActivityBody = Arc::new(|_, _| Box::pin(async { Ok(Payload::null()) }));
    WorkerSpec {
        queue: queue(),
        definitions: Vec::new(),
        activities: activities
            .iter()
            .map(|name| (ActivityName::new(name).unwrap(), Arc::clone(&body)))
            .collect(),
        defaults: ActivityOptions::default(),
        slots,
    }
}

const W1: WorkerId = WorkerId(1);

#[test]
fn a_free_slot_is_taken_at_once_and_the_next_task_waits_its_turn() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.add_worker(W1, &worker(&["a", "b"], 1));
    let first = seek(&mut dispatcher, "a", 1, None);
    assert_eq!(first, Acquired::Slot { slot: slot(W1), is_spare: false });
    assert_eq!(seek(&mut dispatcher, "b", 2, None), Acquired::Waits);
    assert_eq!(seek(&mut dispatcher, "a", 3, None), Acquired::Waits);
    assert_eq!(dispatcher.release(slot(W1)), [Offer { task: task(2), slot: slot(W1) }]);
    dispatcher.forget(&task(3));
    assert_eq!((dispatcher.release(slot(W1)), dispatcher.in_use()), (vec![], 0));
}

#[test]
fn a_slot_given_back_in_the_same_transition_is_used_again_only_if_nobody_waits() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.add_worker(W1, &worker(&["a"], 1));
    seek(&mut dispatcher, "a", 1, None);
    let again = seek(&mut dispatcher, "a", 2, Some(W1));
    assert_eq!(again, Acquired::Slot { slot: slot(W1), is_spare: true });
    assert_eq!(seek(&mut dispatcher, "a", 3, None), Acquired::Waits);
    assert_eq!(seek(&mut dispatcher, "a", 4, Some(W1)), Acquired::Waits);
    assert_eq!(dispatcher.in_use(), 1);
}

#[test]
fn a_task_that_nobody_can_run_waits_with_the_names_that_are_known() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.add_worker(W1, &worker(&["reserve"], 4));
    let reason = "not registered: reserv; known: reserve".to_owned();
    assert_eq!(seek(&mut dispatcher, "reserv", 1, None), Acquired::NotRegistered(reason.clone()));
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(1), Some(reason))]);
    dispatcher.remove_worker(W1);
    let reason = "not registered: reserv; known: none (no worker serves `q`)".to_owned();
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(1), Some(reason))], "as it is now");
    let offers = dispatcher.add_worker(WorkerId(2), &worker(&["reserv"], 1));
    assert_eq!(offers, [Offer { task: task(1), slot: slot(WorkerId(2)) }]);
}

#[test]
fn marks_follow_the_workers() {
    let mut dispatcher = Dispatcher::default();
    seek(&mut dispatcher, "a", 1, None);
    seek(&mut dispatcher, "a", 2, None);
    dispatcher.add_worker(W1, &worker(&["a"], 1));
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(2), None)]);
    dispatcher.remove_worker(W1);
    assert_eq!(dispatcher.marks_to_change(ShardId(1)).len(), 1);
    dispatcher.forget_shard(ShardId(1));
    assert!(dispatcher.add_worker(W1, &worker(&["a"], 2)).is_empty());
}
