//! Many retries: the arithmetic of waits, and the spread of many that failed together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use steadfast_core::RetryPolicy;
use steadfast_engine::{ActivityState, EngineClock};

use crate::kit::*;

const RUNS: u32 = 100;

#[test]
fn two_hundred_attempts_wait_as_the_policy_says() {
    let kit = Kit::new();
    let begun = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&begun);
    let work = body(move |ctx, input| {
        notes.lock().unwrap().push(ctx.info().started_at);
        let attempt = ctx.info().attempt;
        async move { if attempt == 200 { Ok(input) } else { Err(retryable()) } }
    });
    let code = workflow("one", |ctx, input| async move {
        let policy = RetryPolicy::exponential(secs(1)).maximum_interval(secs(60)).jitter(0.0);
        call_with(&ctx, "work", input, retry(policy)).await
    });
    kit.worker().workflow(code).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(1));
    for attempt in 1..200 {
        kit.eventually("the wait", |kit| {
            let open = kit.describe("w").activities;
            open.first().is_some_and(|open| open.attempt == attempt && open.state == ActivityState::RetryWait)
        });
        let next = kit.describe("w").activities[0].next_attempt_at.unwrap();
        kit.clock.advance_to(next);
    }
    kit.result("w");
    let begun = begun.lock().unwrap();
    assert_eq!(begun[199].since(begun[0]), secs(11_643));
    for (index, pair) in begun.windows(2).enumerate() {
        let wanted = 60.min(1_u64.checked_shl(u32::try_from(index).unwrap()).unwrap_or(u64::MAX));
        assert_eq!(pair[1].since(pair[0]), secs(wanted), "after attempt {}", index + 1);
    }
}

#[test]
fn what_failed_together_does_not_come_back_together() {
    let kit = Kit::new();
    let waves: Arc<Mutex<BTreeMap<u32, BTreeMap<u64, u32>>>> = Arc::default();
    let notes = Arc::clone(&waves);
    let work = body(move |ctx, input| {
        let (attempt, at) = (ctx.info().attempt, ctx.info().started_at);
        *notes.lock().unwrap().entry(attempt).or_default().entry(at.as_millis() / 1_000).or_default() += 1;
        async move { if at < crate::kit::at(1_060) { Err(retryable()) } else { Ok(input) } }
    });
    let code = workflow("one", |ctx, input| async move {
        let policy = RetryPolicy::exponential(secs(10)).maximum_interval(secs(60));
        call_with(&ctx, "work", input, retry(policy)).await
    });
    kit.worker().slots(1_000).workflow(code).activity(activity("work"), work).start().unwrap();
    for index in 0..RUNS {
        kit.start("one", &format!("w-{index}"), json(index));
    }
    // From wait to wait: the clock moves on only when everything stands still.
    loop {
        let mut next = None;
        kit.eventually("all wait or are over", |kit| {
            let open: Vec<_> =
                (0..RUNS).flat_map(|index| kit.describe(&format!("w-{index}")).activities).collect();
            next = open.iter().filter_map(|open| open.next_attempt_at).min();
            open.iter().all(|open| open.next_attempt_at.is_some_and(|at| at > kit.clock.now()))
        });
        match next {
            Some(next) => kit.clock.advance_to(next.after(std::time::Duration::from_millis(300))),
            None => break,
        }
    }
    for index in 0..RUNS {
        kit.result(&format!("w-{index}"));
    }
    for (attempt, buckets) in waves.lock().unwrap().iter().filter(|(attempt, _)| **attempt > 1) {
        let (all, most) = (buckets.values().sum::<u32>(), buckets.values().max().unwrap());
        let allowed = if *attempt == 2 { 60 } else { 35 };
        assert!(all < 20 || most * 100 <= all * allowed, "attempt {attempt}: {most} of {all} in one second");
    }
}
