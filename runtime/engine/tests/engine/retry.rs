//! Attempts: retries, waits, exhaustion, dead letters.

use futures::executor::block_on;
use steadfast_core::history::EventKind;
use steadfast_core::{ActivityOptions, CallError, Disposition, RetryPolicy, WorkflowError};
use steadfast_engine::ActivityState;
use steadfast_store::RunStatus;

use crate::kit::*;

fn one(
    options: impl Fn() -> ActivityOptions + Send + Sync + 'static,
) -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("one", move |ctx, input| {
        let options = options();
        async move { call_with(&ctx, "work", input, options).await }
    })
}

#[test]
fn a_failed_attempt_waits_and_is_tried_again_with_the_same_key() {
    let kit = Kit::new();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = std::sync::Arc::clone(&seen);
    let work = body(move |ctx, input| {
        let info = ctx.info().clone();
        notes.lock().unwrap().push((info.attempt, info.idempotency_key.to_string()));
        async move { if info.attempt < 3 { Err(retryable()) } else { Ok(input) } }
    });
    let policy = || retry(RetryPolicy::exponential(secs(10)).jitter(0.0));
    kit.worker().workflow(one(policy)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(1));
    let waits = |kit: &Kit, attempt: u32| {
        kit.describe("w").activities.first().is_some_and(|open| {
            open.state == ActivityState::RetryWait && open.attempt == attempt && open.last_failure.is_some()
        })
    };
    kit.eventually("the first wait", |kit| waits(kit, 1));
    let next = kit.describe("w").activities[0].next_attempt_at;
    assert_eq!(next, Some(at(1_010)));
    kit.clock.advance(secs(10));
    kit.eventually("the second wait", |kit| waits(kit, 2));
    assert_eq!(kit.describe("w").activities[0].next_attempt_at, Some(at(1_030)));
    kit.clock.advance(secs(20));
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    let seen = seen.lock().unwrap().clone();
    let key = seen[0].1.clone();
    assert_eq!(seen, [(1, key.clone()), (2, key.clone()), (3, key)]);
}

#[test]
fn attempts_used_up_leave_a_dead_letter_and_the_typed_error() {
    let kit = Kit::new();
    let work = body(|_, _| async { Err(retryable()) });
    let policy = || retry(RetryPolicy::fixed(secs(1)).maximum_attempts(2));
    kit.worker().workflow(one(policy)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json("input"));
    kit.eventually("a wait", |kit| kit.describe("w").activities[0].state == ActivityState::RetryWait);
    kit.clock.advance(secs(2));
    let outcome = kit.result("w");
    let Err(WorkflowError::Activity { error, .. }) = outcome.result() else { panic!("{outcome:?}") };
    assert_eq!(error, CallError::Exhausted { last: retryable(), attempts: 2 });
    let (letters, next) = block_on(kit.client.dead_letters(None, 10)).unwrap();
    assert_eq!((letters.len(), next), (1, None));
    assert_eq!((letters[0].activity.as_str(), &letters[0].input), ("work", &json("input")));
    assert_eq!((letters[0].attempts.attempt, letters[0].attempts.failures.len()), (2, 2));
}

#[test]
fn a_final_failure_ends_the_activity_at_once_and_is_no_dead_letter() {
    let kit = Kit::new();
    let work = body(|_, _| async { Err(failure(Disposition::NonRetryable)) });
    kit.worker().workflow(one(ActivityOptions::default)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    assert_eq!(kit.result("w").status, RunStatus::Failed);
    assert!(block_on(kit.client.dead_letters(None, 10)).unwrap().0.is_empty());
}

#[test]
fn the_four_timeouts_end_what_they_are_for() {
    let kit = Kit::new();
    let gate = Gate::default();
    let door = gate.clone();
    let work = body(move |_, input| {
        let door = door.clone();
        async move {
            door.pass().await;
            Ok(input)
        }
    });
    let cases = [
        ("start", ActivityOptions { start_to_close: Some(secs(5)), ..retry(RetryPolicy::once()) }),
        ("close", ActivityOptions { schedule_to_close: Some(secs(5)), ..ActivityOptions::default() }),
        ("beat", ActivityOptions { heartbeat: Some(secs(5)), ..retry(RetryPolicy::once()) }),
        ("queue", ActivityOptions { schedule_to_start: Some(secs(5)), ..ActivityOptions::default() }),
    ];
    let mut worker = kit.worker().slots(3).activity(activity("work"), work);
    for (name, options) in cases.clone() {
        worker = worker.workflow(workflow(name, move |ctx, input| {
            let options = options.clone();
            async move { call_with(&ctx, "work", input, options).await }
        }));
    }
    worker.start().unwrap();
    for (name, _) in &cases {
        kit.start(name, name, json(()));
    }
    kit.clock.advance(secs(6));
    for (name, _) in &cases {
        assert_eq!(kit.result(name).status, RunStatus::Failed, "{name}");
        let history = kit.history(name);
        let timed_out = history.iter().find_map(|event| {
            let EventKind::ActivityTimedOut(end) = &event.kind else { return None };
            Some(end.timeout.to_string())
        });
        let wanted = match *name {
            "start" => "start-to-close",
            "close" => "schedule-to-close",
            "beat" => "heartbeat",
            _ => "schedule-to-start",
        };
        assert_eq!(timed_out.as_deref(), Some(wanted), "{name}");
    }
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
    gate.open();
}

#[test]
fn a_late_result_is_refused_and_moves_nothing() {
    let kit = Kit::new();
    let gate = Gate::default();
    let door = gate.clone();

    let work = body(move |ctx, _| {
        let door = door.clone();
        let attempt = ctx.info().attempt;
        async move {
            if attempt == 1 {
                door.pass().await;
            }
            Ok(json(attempt))
        }
    });
    let options = || ActivityOptions {
        start_to_close: Some(secs(5)),
        ..retry(RetryPolicy::fixed(secs(1)).jitter(0.0))
    };
    kit.worker().workflow(one(options)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    kit.clock.advance(secs(5));
    kit.eventually("a wait", |kit| kit.describe("w").activities[0].state == ActivityState::RetryWait);
    gate.open();
    kit.clock.advance(secs(1));
    assert_eq!(kit.result("w").result().unwrap(), json(2));
}
