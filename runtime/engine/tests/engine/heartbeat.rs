//! Heartbeats.

use steadfast_core::{ActivityOptions, Payload, RetryPolicy};

use crate::kit::*;

#[test]
fn the_next_attempt_reads_the_newest_details_of_a_failed_one() {
    let kit = Kit::new();
    let work = body(|ctx, _| async move {
        if ctx.info().attempt == 1 {
            for beat in 1..=10 {
                ctx.heartbeat(Some(json(beat))).unwrap();
                tokio::task::yield_now().await;
            }
            return Err(retryable());
        }
        Ok(ctx.info().details.clone().unwrap_or_else(Payload::null))
    });
    let code = workflow("one", |ctx, input| async move {
        let options = ActivityOptions { heartbeat: Some(secs(2)), ..retry(RetryPolicy::fixed(secs(1))) };
        call_with(&ctx, "work", input, options).await
    });
    kit.worker().workflow(code).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    kit.eventually("it waits", |kit| {
        kit.describe("w").activities.first().is_some_and(|open| open.next_attempt_at.is_some())
    });
    kit.clock.advance(secs(2));
    assert_eq!(kit.result("w").result().unwrap(), json(10));
}

#[test]
fn a_beat_moves_the_deadline_and_details_over_the_limit_are_refused() {
    let kit = Kit::new();
    let gate = Gate::default();
    let door = gate.clone();
    let work = body(move |ctx, input| {
        let door = door.clone();
        async move {
            door.pass().await;
            assert!(ctx.heartbeat(Some(json("x".repeat(5_000)))).is_err());
            ctx.heartbeat(Some(json("alive"))).unwrap();
            ctx.cancelled().await;
            Ok(input)
        }
    });
    let code = workflow("one", |ctx, input| async move {
        let options = ActivityOptions { heartbeat: Some(secs(100)), ..ActivityOptions::default() };
        call_with(&ctx, "work", input, options).await
    });
    kit.worker().workflow(code).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    assert_eq!(kit.describe("w").activities[0].deadline, Some(at(1_100)));
    kit.clock.advance(secs(50));
    gate.open();
    kit.eventually("the beat is written", |kit| {
        kit.describe("w").activities[0].details == Some(json("alive"))
    });
    assert_eq!(kit.describe("w").activities[0].deadline, Some(at(1_150)));
}
