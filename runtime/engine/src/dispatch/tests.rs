use std::sync::Arc;

use steadfast_core::{ActivityName, ActivityOptions, EventId, Payload, QueueName, RunId, ShardId};

use super::*;
use crate::activity::ActivityBody;
use crate::registry::{WorkerId, WorkerSpec};

fn queue() -> QueueName {
    QueueName::new("q").unwrap()
}

fn want(name: &str) -> Want {
    Want::Activity(ActivityName::new(name).unwrap())
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
    let first = dispatcher.acquire(&queue(), &want("a"), task(1), None);
    assert_eq!(first, Acquired::Slot { worker: W1, is_spare: false });
    assert_eq!(dispatcher.acquire(&queue(), &want("b"), task(2), None), Acquired::Waits);
    assert_eq!(dispatcher.acquire(&queue(), &want("a"), task(3), None), Acquired::Waits);
    assert_eq!(dispatcher.release(W1), Some(Offer { task: task(2), worker: W1 }));
    dispatcher.forget(&task(3));
    assert_eq!((dispatcher.release(W1), dispatcher.in_use()), (None, 0));
}

#[test]
fn a_slot_given_back_in_the_same_transition_is_used_again_only_if_nobody_waits() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.add_worker(W1, &worker(&["a"], 1));
    dispatcher.acquire(&queue(), &want("a"), task(1), None);
    let again = dispatcher.acquire(&queue(), &want("a"), task(2), Some(W1));
    assert_eq!(again, Acquired::Slot { worker: W1, is_spare: true });
    assert_eq!(dispatcher.acquire(&queue(), &want("a"), task(3), None), Acquired::Waits);
    assert_eq!(dispatcher.acquire(&queue(), &want("a"), task(4), Some(W1)), Acquired::Waits);
    assert_eq!(dispatcher.in_use(), 1);
}

#[test]
fn a_task_that_nobody_can_run_waits_with_the_names_that_are_known() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.add_worker(W1, &worker(&["reserve"], 4));
    let reason = "not registered: reserv; known: reserve".to_owned();
    assert_eq!(
        dispatcher.acquire(&queue(), &want("reserv"), task(1), None),
        Acquired::NotRegistered(reason.clone())
    );
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(1), Some(reason))]);
    dispatcher.remove_worker(W1);
    let reason = "not registered: reserv; known: none (no worker serves `q`)".to_owned();
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(1), Some(reason))], "as it is now");
    let offers = dispatcher.add_worker(WorkerId(2), &worker(&["reserv"], 1));
    assert_eq!(offers, [Offer { task: task(1), worker: WorkerId(2) }]);
}

#[test]
fn marks_follow_the_workers() {
    let mut dispatcher = Dispatcher::default();
    dispatcher.acquire(&queue(), &want("a"), task(1), None);
    dispatcher.acquire(&queue(), &want("a"), task(2), None);
    dispatcher.add_worker(W1, &worker(&["a"], 1));
    assert_eq!(dispatcher.marks_to_change(ShardId(1)), [(task(2), None)]);
    dispatcher.remove_worker(W1);
    assert_eq!(dispatcher.marks_to_change(ShardId(1)).len(), 1);
    dispatcher.forget_shard(ShardId(1));
    assert!(dispatcher.add_worker(W1, &worker(&["a"], 2)).is_empty());
}
