//! Activities, steps, time and typed errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use steadfast::prelude::*;
use steadfast::{LastError, history::EventKind};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
enum BankError {
    #[error("card declined")]
    #[failure(non_retryable)]
    Declined { code: u16 },
    #[error("network")]
    Network,
}

#[activity]
async fn add(a: u64, b: u64) -> Result<u64, AnyFailure> {
    Ok(a + b)
}

#[activity]
async fn decline(code: u16) -> Result<(), BankError> {
    Err(BankError::Declined { code })
}

#[activity(retry(initial_interval = "1ms", maximum_attempts = 3))]
async fn unreachable_bank() -> Result<(), BankError> {
    Err(BankError::Network)
}

#[workflow]
async fn everything(ctx: WorkflowContext, n: u64) -> Result<Vec<u64>, WorkflowError> {
    let mut seen = vec![add(&ctx, n, 1).await?];
    let before = ctx.now();
    ctx.sleep(millis(5)).await?;
    assert!(ctx.now() >= before.after(millis(5)));
    seen.push(ctx.step("parse", async || Ok("42".parse::<u64>()?)).await?);
    seen.push(ctx.side_effect(|| 7));
    let (pair, sum) = join!(add(&ctx, 1, 1), async { add(&ctx, 2, 2).await });
    seen.extend([pair?, sum?]);
    seen.extend(try_join_all((0..3).map(|n| add(&ctx, n, 0))).await?);
    assert_ne!(ctx.uuid(), ctx.uuid());
    assert_ne!(ctx.random(), ctx.random());
    assert_eq!(ctx.info().workflow_id.as_str(), "everything");
    Ok(seen)
}

#[workflow]
async fn errors(ctx: WorkflowContext) -> Result<u16, WorkflowError> {
    let Err(ActivityError::Application(BankError::Declined { code })) = decline(&ctx, 51).await else {
        return Err(WorkflowError::fail("the error should come back typed"));
    };
    let exhausted = unreachable_bank(&ctx).await;
    let Err(ActivityError::Exhausted {
        last: LastError::Application(BankError::Network), attempts: 3, ..
    }) = exhausted
    else {
        return Err(WorkflowError::fail(format!("{exhausted:?}")));
    };
    Ok(code)
}

#[workflow]
async fn fails(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(decline(&ctx, 7).await?)
}

struct Counter {
    calls: Arc<AtomicU32>,
}

#[activity]
impl Counter {
    #[activity(retry(initial_interval = "1ms"))]
    async fn third_time_lucky(&self, ctx: ActivityContext) -> Result<(u32, u32, String), AnyFailure> {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let before: u32 = ctx.heartbeat_details().unwrap_or(0);
        ctx.heartbeat(before + 1)?;
        if calls < 3 {
            return Err(AnyFailure::retryable("not yet"));
        }
        Ok((ctx.attempt(), before, ctx.idempotency_key().to_owned()))
    }
}

#[workflow]
async fn counts(ctx: WorkflowContext) -> Result<(u32, u32, String), WorkflowError> {
    Ok(counter::third_time_lucky(&ctx).await?)
}

fn call_site(kind: &EventKind) -> Option<String> {
    let site = if let EventKind::ActivityScheduled(event) = kind {
        &event.call_site
    } else if let EventKind::TimerStarted(event) = kind {
        &event.call_site
    } else if let EventKind::StepStarted(event) = kind {
        &event.call_site
    } else if let EventKind::SideEffectRecorded(event) = kind {
        &event.call_site
    } else {
        return None;
    };
    Some(site.to_string())
}

#[tokio::test]
async fn a_workflow_does_everything_and_its_call_sites_are_the_users() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").workflow(everything).activity(add).start().await?;
    let handle = engine.client().start(everything, 5).id("everything").queue("q").await?;
    assert_eq!(handle.result().await?, [6, 42, 7, 2, 4, 0, 1, 2]);
    let history = handle.history().await?;
    let sites: Vec<String> = history.iter().filter_map(|event| call_site(&event.kind)).collect();
    assert_eq!(sites.len(), 9);
    assert!(sites.iter().all(|site| site.contains("features/workflow.rs:")), "{sites:?}");
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn errors_come_back_typed() -> TestResult {
    let engine = Engine::open("memory:").await?;
    let set = activities![decline, unreachable_bank];
    engine.worker("q").workflow(errors).workflow(fails).activities(set).start().await?;
    let handle = engine.client().start(errors, ()).queue("q").await?;
    assert_eq!(handle.result().await?, 51);
    let failed = engine.client().start(fails, ()).queue("q").await?.result().await.unwrap_err();
    assert_eq!(failed.downcast::<BankError>(), Some(BankError::Declined { code: 7 }));
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn attempts_share_their_value_and_their_key() -> TestResult {
    let engine = Engine::open("memory:").await?;
    let calls = Arc::new(AtomicU32::new(0));
    let counter = Counter { calls: Arc::clone(&calls) };
    engine.worker("q").workflow(counts).activities(counter).start().await?;
    let handle = engine.client().start(counts, ()).id("c").queue("q").await?;
    let (attempt, before, key) = handle.result().await?;
    assert_eq!((attempt, before, calls.load(Ordering::SeqCst)), (3, 2, 3));
    assert!(key.starts_with("c/"), "{key}");
    engine.shutdown().await;
    Ok(())
}
