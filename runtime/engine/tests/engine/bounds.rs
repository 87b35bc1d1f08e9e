//! Limits: payloads, slots, many open activities, long histories.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::executor::block_on;
use futures::future::join_all;
use steadfast_core::{ActivityOptions, AttemptError, CallError, WorkflowError};
use steadfast_engine::{ActivityRequest, StartError};
use steadfast_store::Commits;

use crate::kit::*;

const LIMIT: usize = 2 * 1024 * 1024;

#[test]
fn a_result_over_the_limit_is_final_and_one_at_the_limit_is_not() {
    let kit = Kit::new();
    let calls = Calls::default();
    let notes = calls.clone();
    let big = body(move |_, input| {
        notes.note("big");
        async move { Ok(json("x".repeat(input.decode::<usize>().unwrap() - 2))) }
    });
    let code = workflow("big", |ctx, input| async move {
        let result = call(&ctx, "big", input).await;
        Ok(json(result.map(|output| output.size()).map_err(|error| error.to_string())))
    });
    kit.worker().workflow(code).activity(activity("big"), big).start().unwrap();
    kit.start("big", "over", json(LIMIT + 1));
    kit.start("big", "at", json(LIMIT));
    let over: Result<u64, String> = kit.result("over").result().unwrap().decode().unwrap();
    let text = over.unwrap_err();
    assert!(text.contains("result of `big` is 2097153 bytes, the limit is 2097152"), "{text}");
    let exact: Result<u64, String> = kit.result("at").result().unwrap().decode().unwrap();
    assert_eq!(exact.unwrap(), 2_097_152);
    assert_eq!(calls.of("big"), 2);
    let refused = block_on(kit.client.start(Kit::request("big", "input", json("x".repeat(LIMIT)))));
    assert!(matches!(refused, Err(StartError::TooLarge(_))), "{refused:?}");
    assert!(block_on(kit.client.describe(&selector("input"))).is_err(), "nothing is stored");
}

#[test]
fn no_more_bodies_run_than_there_are_slots_and_all_come_to_their_turn() {
    let kit = Kit::new();
    let (running, highest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, most) = (Arc::clone(&running), Arc::clone(&highest));
    let work = body(move |_, input| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(input)
        }
    });
    let code = workflow("one", |ctx, input| async move { call(&ctx, "work", input).await });
    kit.worker().slots(3).workflow(code).activity(activity("work"), work).start().unwrap();
    for index in 0..100 {
        kit.start("one", &format!("w-{index}"), json(index));
    }
    for index in 0..100 {
        kit.result(&format!("w-{index}"));
    }
    assert!(highest.load(Ordering::SeqCst) <= 3);
}

#[test]
fn a_completion_among_a_thousand_open_writes_at_most_four_keys() {
    let kit = Kit::new();
    let gates: Arc<Vec<Gate>> = Arc::new((0..1_000).map(|_| Gate::default()).collect());
    let doors = Arc::clone(&gates);
    let work = body(move |_, input| {
        let door = doors[input.decode::<usize>().unwrap()].clone();
        async move {
            door.pass().await;
            Ok(input)
        }
    });
    let code = workflow("join", |ctx, _| async move {
        let calls = (0..1_000_usize).map(|index| {
            let ctx = ctx.clone();
            Box::pin(async move { call_with(&ctx, "work", json(index), ActivityOptions::default()).await })
        });
        let results = join_all(calls).await;
        Ok(json(results.into_iter().filter(Result::is_ok).count()))
    });
    kit.worker().slots(2_000).workflow(code).activity(activity("work"), work).start().unwrap();
    kit.start("join", "w", json(()));
    let before = kit.store.stats();
    gates[500].open();
    kit.eventually("one is over", |kit| kit.describe("w").activities.len() == 999);
    let since = kit.store.stats().since(&before);
    assert!(since.keys() <= 4, "{since:?}");
    for gate in gates.iter() {
        gate.open();
    }
    assert_eq!(kit.result("w").result().unwrap(), json(1_000));
}

#[test]
fn one_activity_runs_without_a_workflow() {
    let kit = Kit::new();
    let work = body(|ctx, input| async move {
        if input == json("fail") {
            return Err(failure(steadfast_core::Disposition::NonRetryable));
        }
        Ok(json(ctx.info().activity.to_string()))
    });
    kit.worker().activity(activity("work"), work).start().unwrap();
    let request = |workflow: &str, input| ActivityRequest {
        workflow_id: id(workflow),
        activity: activity("work"),
        queue: queue(),
        input,
        options: ActivityOptions::default(),
        idempotency_key: None,
        request_id: None,
    };
    let outcome = block_on(kit.client.run_activity(request("one", json("go")))).unwrap();
    assert_eq!(outcome.result().unwrap(), json("work"));
    let outcome = block_on(kit.client.run_activity(request("two", json("fail")))).unwrap();
    let Err(WorkflowError::Activity { error: CallError::Failed(AttemptError::Application(error)), .. }) =
        outcome.result()
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(error.message, "card declined");
}
