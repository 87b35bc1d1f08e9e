//! Cancellation: of a scope, of a run, of what loses a race.

use steadfast::prelude::*;
use steadfast::{RunError, RunStatus};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[activity]
async fn wait_for_cancel(ctx: ActivityContext) -> Result<(), AnyFailure> {
    ctx.cancelled().await;
    Err(AnyFailure::retryable("stopped"))
}

#[activity]
async fn ping() -> Result<u64, AnyFailure> {
    Ok(1)
}

#[workflow]
async fn scopes(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let scope = ctx.scope();
    let mut call = wait_for_cancel(&scope);
    select! {
        _ = &mut call => return Err(WorkflowError::fail("the activity should wait")),
        _ = ctx.sleep(millis(20)) => scope.cancel(),
    }
    assert_eq!(call.await, Err(ActivityError::Cancelled));
    assert_eq!(ping(&scope).await, Err(ActivityError::Cancelled));
    assert_eq!(scope.sleep(secs(1)).await, Err(Cancelled));
    scope.cancelled().await;
    assert!(scope.is_cancelled() && !ctx.is_cancelled() && !scope.disconnected().is_cancelled());
    Ok(ping(&ctx).await?)
}

#[workflow]
async fn tidies_up(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    match ctx.sleep(days(1)).await {
        Ok(()) => Ok(0),
        Err(Cancelled) => {
            ping(&ctx.disconnected()).await?;
            Err(WorkflowError::Cancelled)
        }
    }
}

#[workflow]
async fn races(ctx: WorkflowContext, arms: u32) -> Result<u64, WorkflowError> {
    let mut deadline = ctx.sleep(millis(30));
    let mut rounds = 0;
    loop {
        select! {
            _ = ctx.sleep(millis(1)), if rounds < arms => { rounds += 1; }
            over = &mut deadline => {
                over?;
                break Ok(u64::from(rounds));
            }
        }
    }
}

#[tokio::test]
async fn a_scope_is_cancelled_by_itself() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").workflow(scopes).activities(activities![wait_for_cancel, ping]).start().await?;
    assert_eq!(engine.client().start(scopes, ()).queue("q").await?.result().await?, 1);
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn a_cancelled_workflow_may_tidy_up() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").workflow(tidies_up).activity(ping).start().await?;
    let handle = engine.client().start(tidies_up, ()).id("t").queue("q").await?;
    handle.cancel().reason("enough").request_id("once").await?;
    assert!(matches!(handle.result().await, Err(RunError::Cancelled { .. })));
    assert_eq!(engine.client().handle("t").describe().await?.status, RunStatus::Cancelled);
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn an_arm_that_is_off_is_not_polled() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").workflow(races).start().await?;
    assert_eq!(engine.client().start(races, 2).queue("q").await?.result().await?, 2);
    engine.shutdown().await;
    Ok(())
}
