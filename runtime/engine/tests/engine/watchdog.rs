//! Workflow code that does not come back costs its run and its thread, and nobody else anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::spawn;
use std::time::Duration;

use futures::executor::block_on;
use steadfast_core::QueueName;
use steadfast_engine::{CancelRequest, GIVEN_UP_MAX, Started};
use steadfast_store::faults::{CallKind, FaultPlan, FaultStore, Phase};

use crate::kit::*;
use crate::trap::*;

#[test]
fn the_others_go_on_and_bodies_that_run_stay_the_first_attempt() {
    let (trap, gate) = (Trap::default(), Gate::default());
    let kit = trap.kit();
    let fall = trap.clone();
    let second = workflow("stuck", move |ctx, input| {
        let trap = fall.clone();
        async move {
            call(&ctx, "quick", input.clone()).await?;
            trap.fall_in(&ctx);
            call(&ctx, "late", input).await
        }
    });
    let worker = kit.worker().workflow(second).workflow(calls_wait());
    let worker = worker.activity(activity("quick"), echo()).activity(activity("late"), trap.late());
    worker.activity(activity("wait"), waits(&gate, &trap.calls)).start().unwrap();
    let ids: Vec<String> = (0..20).map(|index| format!("other-{index}")).collect();
    for id in &ids {
        kit.start("other", id, json(()));
    }
    kit.eventually("all bodies run", |_| trap.calls.of("waits") == 20);
    let client = kit.client.clone();
    let waiter = spawn(move || block_on(client.result(&selector("other-0"))).unwrap());
    kit.start("stuck", "stuck", json(1));
    wait_until_given_up(&kit, 1);
    gate.open();
    let blocked = wait_until_blocked(&kit, "stuck");
    let reason = blocked.blocked.unwrap();
    assert!(reason.contains("over 10 s of processor time") && reason.contains("`stuck`"), "{reason}");
    assert_eq!((blocked.mailbox, blocked.attention), (1, vec![reason]));
    assert_eq!(waiter.join().unwrap().result().unwrap(), json(1), "it waited before and is answered");
    for id in &ids {
        assert_eq!(kit.result(id).result().unwrap(), json(1), "the first attempt");
    }
    trap.gate.open();
    kit.eventually("the code comes back", |_| trap.calls.of("came back") == 1);
    kit.eventually("no slot is in use", |kit| kit.engine.slots_in_use() == 0);
    assert_eq!(kit.names("stuck"), ["WorkflowStarted", "ActivityScheduled"]);
    terminate(&kit, "stuck");
    assert_eq!(trap.calls.of("late"), 0);
    let health = kit.engine.health();
    assert!(health.is_healthy && health.given_up_threads == 1, "{health:?}");
    block_on(kit.engine.shutdown(Some(secs(1))));
}

#[test]
fn a_start_that_does_not_come_back_is_stored_blocked_and_tried_again_by_the_next_process() {
    let trap = Trap::default();
    let kit = trap.kit();
    kit.worker().workflow(trap.at_once()).activity(activity("late"), trap.late()).start().unwrap();
    let started = starts(&kit, "stuck", "w").join().unwrap();
    let blocked = wait_until_blocked(&kit, "w");
    assert_eq!((blocked.run_id, blocked.mailbox), (started.run_id, 1), "its start waits");
    assert!(blocked.blocked.unwrap().contains(&started.run_id.to_string()));
    // Neither a worker that starts nor an input tries it again.
    kit.engine.worker(QueueName::new("another").unwrap()).start().unwrap();
    let request = CancelRequest { run: selector("w"), reason: "stop".into(), request_id: None };
    block_on(kit.client.cancel(request)).unwrap();
    assert_eq!(kit.describe("w").mailbox, 2);
    assert_eq!((trap.inside.lock().unwrap().len(), kit.engine.health().given_up_threads), (1, 1));
    trap.gate.open();
    kit.eventually("the code comes back", |_| trap.calls.of("came back") == 1);
    assert_eq!(kit.names("w"), [""; 0], "nothing is appended");
    let kit = kit.killed();
    kit.worker().workflow(workflow("stuck", |_, input| async move { Ok(input) })).start().unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    assert_eq!((kit.result("w").run_id, trap.calls.of("late")), (started.run_id, 0));
}

#[test]
fn a_replay_that_does_not_come_back_is_found_too() {
    let (trap, gate) = (Trap::default(), Gate::default());
    let kit = trap.kit();
    let fall = trap.clone();
    let again = workflow("stuck", move |ctx, input| {
        let trap = fall.clone();
        async move {
            if trap.calls.note("entered") > 1 {
                trap.fall_in(&ctx);
            }
            call(&ctx, "wait", input).await
        }
    });
    let worker = kit.worker().workflow(again).workflow(calls_wait());
    worker.activity(activity("wait"), waits(&gate, &trap.calls)).start().unwrap();
    kit.start("stuck", "stuck", json(1));
    kit.start("other", "other", json(1));
    kit.eventually("the bodies run", |_| trap.calls.of("waits") == 2);
    // Workers that change make every run begin anew at its next input.
    kit.engine.worker(QueueName::new("another").unwrap()).start().unwrap();
    gate.open();
    wait_until_given_up(&kit, 1);
    assert_eq!(wait_until_blocked(&kit, "stuck").mailbox, 1, "the result waits");
    assert_eq!(kit.result("other").result().unwrap(), json(1));
    kit.eventually("no slot is in use", |kit| kit.engine.slots_in_use() == 0);
    terminate(&kit, "stuck");
    // The code is still at its gate, and nobody waits for it.
    block_on(kit.engine.shutdown(Some(secs(1))));
    assert_eq!(trap.calls.of("came back"), 0);
    trap.gate.open();
}

#[test]
fn what_is_on_its_way_to_the_store_is_settled_before_the_shards_begin_anew() {
    let (trap, slow, door, gate) = (Trap::default(), Arc::default(), Gate::default(), Gate::default());
    let store = new_store();
    let (held, is_slow) = (door.clone(), Arc::<AtomicBool>::clone(&slow));
    let on = FaultStore::new(store.clone(), FaultPlan::none()).with_hook(move |call| {
        if call.kind == CallKind::Commit && call.phase == Phase::Before && is_slow.load(Ordering::SeqCst) {
            held.pass_blocking();
        }
        None
    });
    let kit = trap.kit_on(Arc::new(on), store);
    let worker = kit.worker().workflow(trap.at_once()).workflow(calls_wait());
    worker.activity(activity("wait"), waits(&gate, &trap.calls)).slots(8).start().unwrap();
    slow.store(true, Ordering::SeqCst);
    let others: Vec<_> = (0..8).map(|index| starts(&kit, "other", &format!("other-{index}"))).collect();
    kit.eventually("grants are on their way", |kit| kit.engine.slots_in_use() == 8);
    let stuck = starts(&kit, "stuck", "stuck");
    wait_until_given_up(&kit, 1);
    assert_eq!(trap.calls.of("waits"), 0, "nothing is durable yet");
    door.open();
    let first: Vec<Started> = others.into_iter().map(|start| start.join().unwrap()).collect();
    stuck.join().unwrap();
    gate.open();
    for (index, started) in first.iter().enumerate() {
        let outcome = kit.result(&format!("other-{index}"));
        assert_eq!((outcome.run_id, outcome.result().unwrap()), (started.run_id, json(1)));
    }
    assert_eq!(trap.calls.of("waits"), 8, "each body ran once");
    wait_until_blocked(&kit, "stuck");
    kit.eventually("no slot is in use", |kit| kit.engine.slots_in_use() == 0);
    block_on(kit.engine.shutdown(Some(secs(1))));
    trap.gate.open();
}

#[test]
fn after_four_threads_no_further_one_is_given_up_and_the_engine_is_not_healthy() {
    let trap = Trap::default();
    let kit = trap.kit();
    kit.worker().workflow(trap.at_once()).activity(activity("late"), trap.late()).start().unwrap();
    for count in 1..=GIVEN_UP_MAX {
        let id = format!("stuck-{count}");
        starts(&kit, "stuck", &id).join().unwrap();
        wait_until_blocked(&kit, &id);
        let health = kit.engine.health();
        assert_eq!((health.given_up_threads, health.is_healthy), (count, count < GIVEN_UP_MAX));
    }
    let fifth = starts(&kit, "stuck", "fifth");
    kit.eventually("it is inside", |_| trap.inside.lock().unwrap().len() == GIVEN_UP_MAX + 1);
    spawn(|| std::thread::sleep(Duration::from_millis(50))).join().unwrap();
    let health = kit.engine.health();
    assert_eq!((health.given_up_threads, health.is_healthy), (GIVEN_UP_MAX, false));
    trap.gate.open();
    fifth.join().unwrap();
    assert_eq!(kit.result("fifth").result().unwrap(), json(1), "it had its thread to the end");
    assert_eq!(trap.calls.of("late"), 1, "nothing of the others is done");
    assert_eq!(kit.engine.slots_in_use(), 0);
    block_on(kit.engine.shutdown(Some(secs(1))));
}

#[test]
fn an_engine_ends_although_code_does_not_come_back_and_is_not_given_up() {
    let trap = Trap::default();
    let kit = trap.kit();
    kit.worker().workflow(trap.at_once()).start().unwrap();
    for count in 1..=GIVEN_UP_MAX {
        starts(&kit, "stuck", &format!("stuck-{count}")).join().unwrap();
        wait_until_given_up(&kit, count);
    }
    let client = kit.client.clone();
    let fifth = spawn(move || block_on(client.start(Kit::request("stuck", "fifth", json(1)))));
    kit.eventually("it is inside", |_| trap.inside.lock().unwrap().len() == GIVEN_UP_MAX + 1);
    block_on(kit.engine.shutdown(Some(Duration::ZERO)));
    trap.gate.open();
    let lost = fifth.join().unwrap();
    assert!(lost.is_err(), "the session was over before it came back: {lost:?}");
    let kit = kit.killed();
    assert!(described(&kit, "fifth").is_none(), "nothing of it was stored");
}

#[test]
fn a_successor_that_meets_the_next_such_run_is_given_up_too_and_no_shard_is_forgotten() {
    let (trap, gate) = (Trap::default(), Gate::default());
    let kit = trap.kit();
    let fall = trap.clone();
    let again = workflow("stuck", move |ctx, input| {
        let trap = fall.clone();
        async move {
            if trap.calls.note(&ctx.info().workflow_id.to_string()) > 1 {
                trap.fall_in(&ctx);
            }
            call(&ctx, "wait", input).await
        }
    });
    let worker = kit.worker().workflow(again).workflow(calls_wait());
    worker.activity(activity("wait"), waits(&gate, &trap.calls)).start().unwrap();
    let ids: Vec<String> = (0..12).map(|index| format!("other-{index}")).collect();
    for id in &ids {
        kit.start("other", id, json(1));
    }
    for id in ["stuck-1", "stuck-2", "stuck-3"] {
        kit.start("stuck", id, json(1));
    }
    kit.eventually("the bodies run", |_| trap.calls.of("waits") == 15);
    kit.engine.worker(QueueName::new("another").unwrap()).start().unwrap();
    gate.open();
    wait_until_given_up(&kit, 3);
    for id in &ids {
        kit.eventually("its shard answers", |kit| described(kit, id).is_some());
        assert_eq!(kit.result(id).result().unwrap(), json(1));
    }
    for id in ["stuck-1", "stuck-2", "stuck-3"] {
        assert_eq!(wait_until_blocked(&kit, id).mailbox, 1);
    }
    kit.eventually("no slot is in use", |kit| kit.engine.slots_in_use() == 0);
    block_on(kit.engine.shutdown(Some(secs(1))));
    trap.gate.open();
}
