//! Workflows of every kind.

use steadfast::prelude::*;
use steadfast::{Uuid, WorkerBuilder};
use steadfast_tests::kit::{Ledger, ServiceError};

pub(crate) struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(compensate = unbook)]
    async fn book(&self, ctx: ActivityContext, what: String) -> Result<String, ServiceError> {
        if what == "full" {
            return Err(ServiceError::Declined);
        }
        let number = self.0.act(&ctx, &what, 1).await?;
        Ok(format!("{what} {number}"))
    }

    #[activity]
    async fn unbook(&self, ctx: ActivityContext, step: UndoOf<desk::book>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, &format!("un{}", step.input), &step.idempotency_key).await
    }

    /// Fails in its first two attempts.
    #[activity(retry(initial_interval = "1s"))]
    async fn flaky(&self, ctx: ActivityContext, n: u64) -> Result<u64, ServiceError> {
        if ctx.attempt() < 3 { Err(ServiceError::Network) } else { Ok(n) }
    }

    /// Lasts until it is asked to end.
    #[activity]
    async fn stall(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        ctx.cancelled().await;
        Err(ServiceError::Network)
    }
}

fn text(what: &str) -> String {
    what.to_owned()
}

#[workflow]
pub(crate) async fn line(ctx: WorkflowContext, length: u64) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..length {
        sum += desk::book(&ctx, number.to_string()).await?.len() as u64;
    }
    Ok(sum)
}

#[workflow]
pub(crate) async fn joined(ctx: WorkflowContext) -> Result<Vec<String>, WorkflowError> {
    let (one, other) = join!(desk::book(&ctx, text("a")), async {
        ctx.sleep(secs(3)).await?;
        Ok::<_, WorkflowError>(desk::book(&ctx, text("b")).await?)
    });
    let mut all = vec![one?, other?];
    all.extend(try_join_all((0..20).map(|n| desk::book(&ctx, n.to_string()))).await?);
    for booked in join_all((0..5).map(|n| desk::flaky(&ctx, n))).await {
        all.push(booked?.to_string());
    }
    Ok(all)
}

/// Races of activities and timers; losers are cancelled.
#[workflow]
pub(crate) async fn races(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut lost = 0;
    for round in 0..4 {
        let limit = ctx.sleep(secs(5));
        select! {
            _ = desk::stall(&ctx), if round % 2 == 0 => {}
            _ = desk::book(&ctx, text("fast")), if round % 2 == 1 => {}
            over = limit => { over?; lost += 1; }
        }
        ctx.sleep(secs(1)).await?;
    }
    let mut deadline = ctx.sleep(millis(350));
    let mut ticks = 0;
    loop {
        select! {
            _ = ctx.sleep(millis(100)) => { ticks += 1; }
            over = &mut deadline => { over?; break Ok(lost * 100 + ticks); }
        }
    }
}

#[workflow]
pub(crate) async fn sagas(ctx: WorkflowContext, last: String) -> Result<String, WorkflowError> {
    ctx.saga(async |saga| {
        let hotel = desk::book(saga, text("hotel")).await?;
        saga.on_undo(async |ctx| {
            ctx.sleep(secs(2)).await?;
            desk::flaky(&ctx, 1).await?;
            Ok(())
        });
        let inner = saga.saga(async |inner| Ok(desk::book(inner, text("inner")).await?)).await?;
        let caught = saga.saga(async |inner| {
            desk::book(inner, text("lost")).await?;
            Err::<(), _>(WorkflowError::fail("caught"))
        });
        let caught = caught.await.err().map(|error| error.to_string());
        let pair = try_join!(desk::book(saga, text("left")), desk::book(saga, text("right")))?;
        let last = desk::book(saga, last).await?;
        Ok(format!("{hotel}, {inner}, {caught:?}, {pair:?}, {last}"))
    })
    .await
}

#[workflow]
pub(crate) async fn steps(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..5_u64 {
        sum += ctx.step(format!("step {number}"), async move || Ok(number * number)).await?;
    }
    let policy = RetryPolicy::exponential(secs(1)).maximum_attempts(3);
    let failing = ctx.step("failing", async || Err::<u64, _>(AnyFailure::retryable("never")));
    let failed = failing.retry(policy).await.is_err();
    Ok(sum + u64::from(failed))
}

#[workflow]
pub(crate) async fn scopes(ctx: WorkflowContext) -> Result<String, WorkflowError> {
    let scope = ctx.scope();
    let mut call = desk::stall(&scope);
    select! {
        _ = &mut call => return Err(WorkflowError::fail("the activity should wait")),
        over = ctx.sleep(secs(2)) => { over?; scope.cancel(); }
    }
    let call = call.await;
    let late = desk::book(&scope, text("late")).await;
    let after = desk::book(&scope.disconnected(), text("after")).await?;
    Ok(format!("{call:?} {late:?} {after}"))
}

/// Values that the run makes up, and what is done with them.
#[workflow]
pub(crate) async fn values(ctx: WorkflowContext) -> Result<Vec<String>, WorkflowError> {
    let mut all = Vec::new();
    for round in 0..5_u64 {
        let drawn = ctx.random();
        all.push(desk::book(&ctx, format!("{drawn} {}", ctx.uuid())).await?);
        let kept: Uuid = ctx.side_effect(|| Uuid::from_u64_pair(round, drawn));
        if drawn.is_multiple_of(2) {
            ctx.sleep(millis(drawn % 5_000)).await?;
        }
        all.push(format!("{kept} {} {}", ctx.now(), ctx.history_len()));
    }
    Ok(all)
}

#[workflow]
pub(crate) async fn spawned(ctx: WorkflowContext) -> Result<Vec<String>, WorkflowError> {
    let tasks: Vec<_> = (0..3_u64)
        .map(|number| {
            let own = ctx.clone();
            ctx.spawn(async move {
                own.sleep(secs(number)).await?;
                Ok::<_, WorkflowError>(desk::book(&own, format!("task {number}")).await?)
            })
        })
        .collect();
    // Dropped: it does not end the task.
    drop(ctx.spawn({
        let own = ctx.clone();
        async move { desk::book(&own, text("on its own")).await }
    }));
    let mut all = Vec::new();
    for task in tasks {
        all.push(task.await?);
    }
    Ok(all)
}

/// Attempts that take too long.
#[workflow]
pub(crate) async fn timed(ctx: WorkflowContext) -> Result<String, WorkflowError> {
    let policy = RetryPolicy::exponential(secs(1)).maximum_attempts(2);
    let slow = desk::stall(&ctx).start_to_close(secs(5)).retry(policy).await;
    let late = desk::stall(&ctx).schedule_to_close(secs(7)).await;
    let silent = desk::stall(&ctx).heartbeat(secs(3)).retry(RetryPolicy::once()).await;
    Ok(format!("{slow:?} {late:?} {silent:?}"))
}

/// Is cancelled by a client, and tidies up.
#[workflow]
pub(crate) async fn cancelled(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        desk::book(saga, text("first")).await?;
        let (nap, stalled) = join!(ctx.sleep(days(1)), desk::stall(saga));
        stalled?;
        Ok(nap?)
    })
    .await
}

/// A worker that has all of them.
pub(crate) fn register(worker: WorkerBuilder, ledger: Ledger) -> WorkerBuilder {
    let worker = worker.workflow(line).workflow(joined).workflow(races).workflow(sagas).workflow(steps);
    let worker =
        worker.workflow(scopes).workflow(values).workflow(spawned).workflow(timed).workflow(cancelled);
    worker.activities(Desk(ledger))
}
