//! Fixed workflow functions without sagas.

use std::sync::Arc;

use futures::future::{Either, join, join_all, select, try_join_all};
use steadfast_core::exec::{Definition, RunContext};
use steadfast_core::{ActivityOptions, Payload, RetryPolicy, WorkflowError};

use super::code::{Ask, call, options, secs, sleep, sleep_until, step, workflow};

pub(super) fn all() -> Vec<Arc<dyn Definition>> {
    vec![sequence(), crowd(), race(), steps(), wall(), limits(), scopes(), silent()]
}

/// One after the other, with a sleep.
fn sequence() -> Arc<dyn Definition> {
    workflow("sequence", |ctx, input| async move {
        let mut sum = input;
        for index in 0..4 {
            sum += call(&ctx, Ask::new("work", index), None).await?;
            if index == 1 {
                sleep(&ctx, secs(3)).await?;
            }
        }
        Ok(sum)
    })
}

/// More at a time than there are slots, and than fit the head.
fn crowd() -> Arc<dyn Definition> {
    workflow("crowd", |ctx, _| async move {
        let calls = (0..20).map(|index| {
            let ctx = ctx.clone();
            Box::pin(async move { call(&ctx, Ask::new("work", index), None).await })
        });
        let results = join_all(calls).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(results.into_iter().sum())
    })
}

/// The loser is dropped; then all or nothing.
fn race() -> Arc<dyn Definition> {
    workflow("race", |ctx, _| async move {
        let work = Box::pin(call(&ctx, Ask::new("work", 1), None));
        let timer = Box::pin(sleep(&ctx, secs(2)));
        let first = match select(work, timer).await {
            Either::Left((result, _)) => result.unwrap_or(1),
            Either::Right((slept, _)) => slept.unwrap_or(2),
        };
        let calls = (0..3).map(|index| Box::pin(call(&ctx, Ask::new("sometimes", index), None)));
        let rest = try_join_all(calls).await.map_or(7, |results| results.into_iter().sum());
        Ok(first + rest + call(&ctx, Ask::new("work", 2), None).await?)
    })
}

/// Small activities written in place, values computed once, and a task of the run.
fn steps() -> Arc<dyn Definition> {
    workflow("steps", |ctx, input| async move {
        let body = move || Box::pin(async move { super::bodies::value(input + 7) }) as _;
        let small = step(&ctx, "small", Arc::new(body)).await?;
        let own = ctx.clone();
        let task = ctx.spawn(async move { sleep(&own, secs(1)).await });
        let recorded = ctx.side_effect(std::panic::Location::caller(), || {
            Payload::json(&small).unwrap_or_else(|_| Payload::null())
        });
        let bad = step(&ctx, "bad", Arc::new(|| Box::pin(async { Err(super::bodies::final_failure()) })));
        let bad = bad.await.is_err();
        task.await?;
        Ok(recorded.decode::<u64>().map_err(WorkflowError::fail)? + u64::from(bad) + ctx.random_u64() % 10)
    })
}

/// Sleeps to a point of the wall clock's time.
fn wall() -> Arc<dyn Definition> {
    workflow("wall", |ctx, _| async move {
        for wait in [2, 5] {
            sleep_until(&ctx, ctx.now().after(secs(wait)), true).await?;
            call(&ctx, Ask::new("work", wait), None).await?;
        }
        Ok(0)
    })
}

/// Runs into each of the limits of an activity.
fn limits() -> Arc<dyn Definition> {
    workflow("limits", |ctx, _| async move {
        let retry = |attempts| Some(RetryPolicy::fixed(secs(1)).maximum_attempts(attempts));
        let few = ActivityOptions { start_to_close: Some(secs(4)), retry: retry(2), ..options() };
        let short = ActivityOptions { schedule_to_close: Some(secs(6)), ..options() };
        let soon = ActivityOptions { schedule_to_start: Some(secs(2)), ..options() };
        let mut failed = 0;
        for options in [few, short, soon] {
            let ask = Ask { options, ..Ask::new("flaky", 1) };
            failed += u64::from(call(&ctx, ask, None).await.is_err_and(|error| !error.is_cancelled()));
        }
        Ok(failed)
    })
}

/// A scope of the code's own, cancelled while things run in it.
fn scopes() -> Arc<dyn Definition> {
    workflow("scopes", |ctx, _| async move {
        let inner: RunContext = ctx.child_scope();
        let calls = (0..3).map(|index| Box::pin(call(&inner, Ask::new("work", index), None)));
        let cancel = async {
            let slept = sleep(&ctx, secs(2)).await;
            inner.cancel_scope();
            slept
        };
        let (results, slept) = join(join_all(calls), Box::pin(cancel)).await;
        let done = results.iter().filter(|result| result.is_ok()).count() as u64;
        slept?;
        Ok(done + call(&ctx, Ask::new("work", 9), None).await?)
    })
}

/// An activity that has to be heard of often.
fn silent() -> Arc<dyn Definition> {
    workflow("silent", |ctx, _| async move {
        let heartbeat = ActivityOptions { heartbeat: Some(secs(2)), start_to_close: None, ..options() };
        let calls = (0..2).map(|index| {
            let ask = Ask { options: heartbeat.clone(), ..Ask::new("work", index) };
            Box::pin(call(&ctx, ask, None))
        });
        Ok(join_all(calls).await.into_iter().filter(Result::is_ok).count() as u64)
    })
}
