//! Engines that die, and stores that fail.

use steadfast_core::exec::Definition;
use steadfast_core::history::EventKind;
use steadfast_core::{ActivityOptions, RetryPolicy};

use crate::kit::*;

fn three() -> std::sync::Arc<dyn Definition> {
    workflow("three", |ctx, _| async move {
        let mut sum = 0;
        for index in 0..3_u32 {
            let options = retry(RetryPolicy::fixed(secs(1)).jitter(0.0));
            sum += call_with(&ctx, "work", json(index), options).await?.decode::<u32>().unwrap();
        }
        Ok(json(sum))
    })
}

#[test]
fn a_lost_worker_counts_as_an_attempt_and_the_next_one_comes_after_the_backoff() {
    let kit = Kit::new();
    let hangs = body(|_, _| std::future::pending());
    kit.worker().workflow(three()).activity(activity("work"), hangs).start().unwrap();
    kit.start("three", "w", json(()));
    let kit = kit.killed();
    kit.worker().workflow(three()).activity(activity("work"), echo()).start().unwrap();
    kit.eventually("the loss is noted", |kit| {
        kit.describe("w").activities.first().is_some_and(|open| open.next_attempt_at == Some(at(1_001)))
    });
    kit.clock.advance(secs(1));
    assert_eq!(kit.result("w").result().unwrap(), json(3));
    let history = kit.history("w");
    let EventKind::ActivityCompleted(e) = &history[2].kind else { panic!("{history:?}") };
    assert_eq!(e.attempts.attempt, 2);
    assert_eq!(e.attempts.failures.len(), 1);
}

#[test]
fn with_one_attempt_a_lost_worker_is_final() {
    let kit = Kit::new();
    let code = || {
        workflow("once", |ctx, input| async move {
            call_with(&ctx, "work", input, retry(RetryPolicy::once())).await
        })
    };
    let hangs = body(|_, _| std::future::pending());
    kit.worker().workflow(code()).activity(activity("work"), hangs.clone()).start().unwrap();
    kit.start("once", "w", json(()));
    let kit = kit.killed();
    kit.worker().workflow(code()).activity(activity("work"), hangs).start().unwrap();
    let error = kit.result("w").result().unwrap_err();
    assert!(error.to_string().contains("the worker was lost"), "{error}");
}

#[test]
fn only_what_has_something_to_do_is_read_at_opening() {
    let kit = Kit::new();
    let sleeper = || {
        workflow("sleeper", |ctx, input| async move {
            sleep(&ctx, secs(100_000)).await?;
            call_with(&ctx, "work", input, ActivityOptions::default()).await
        })
    };
    kit.worker().workflow(sleeper()).activity(activity("work"), echo()).start().unwrap();
    for index in 0..100 {
        kit.start("sleeper", &format!("w-{index}"), json(index));
    }
    let kit = kit.killed();
    kit.worker().workflow(sleeper()).activity(activity("work"), echo()).start().unwrap();
    kit.clock.advance(secs(100_000));
    for index in 0..100 {
        assert_eq!(kit.result(&format!("w-{index}")).result().unwrap(), json(index));
    }
}
