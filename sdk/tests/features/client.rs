//! The client: what it starts, finds and refuses.

use steadfast::prelude::*;
use steadfast::{ListFilter, OpenError, ReadError, RunActivityError, RunError, StartError};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[activity(queue = "q")]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    if n == 13 {
        return Err(AnyFailure::non_retryable("unlucky"));
    }
    Ok(2 * n)
}

#[workflow]
async fn forever(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    ctx.sleep(days(1)).await?;
    Ok(n)
}

#[tokio::test]
async fn a_run_is_found_by_its_id_and_its_request() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").workflow(forever).start().await?;
    let client = engine.client();
    let start = |request: &str| client.start(forever, 1).id("f").queue("q").request_id(request);
    let first = start("r1").await?;
    assert_eq!(start("r1").await?.run_id(), first.run_id());
    assert!(matches!(start("r2").await, Err(StartError::AlreadyStarted { .. })));
    assert_eq!(client.handle_of(forever, "f").describe().await?.run_id, first.run_id().unwrap());
    assert_eq!(client.list(ListFilter::default(), None, 10).await?.rows.len(), 1);
    first.terminate("enough").await?;
    assert!(matches!(first.result().await, Err(RunError::Terminated { reason, .. }) if reason == "enough"));
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn names_are_checked() -> TestResult {
    let engine = Engine::open("memory:").await?;
    let client = engine.client();
    let empty = client.start(forever, 1).id("").await.unwrap_err();
    assert!(matches!(empty, StartError::Name(_)), "{empty}");
    assert!(client.handle("").describe().await.is_err());
    assert!(matches!(client.handle("nobody").history().await, Err(ReadError::NotFound(_))));
    assert!(engine.worker(" ").start().await.is_err());
    assert!(engine.worker("q").workflow(forever).workflow(forever).start().await.is_err());
    assert!(engine.worker("q").activities(activities![double, double]).start().await.is_err());
    let unknown = Engine::open("redis://localhost").await.unwrap_err();
    assert!(matches!(unknown, OpenError::UnknownStore { .. }), "{unknown}");
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn one_activity_runs_without_a_workflow() -> TestResult {
    let engine = Engine::open("memory:").await?;
    engine.worker("q").activity(double).start().await?;
    let client = engine.client();
    assert_eq!(client.run(double, 21).await?, 42);
    let error = client.run(double, 13).id("unlucky").await.unwrap_err();
    let RunActivityError::Activity(ActivityError::Application(failure)) = error else { panic!("{error:?}") };
    assert_eq!(failure.to_string(), "unlucky");
    engine.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn a_directory_is_a_store() -> TestResult {
    let dir = std::env::temp_dir().join(format!("steadfast-features-{}", std::process::id()));
    let url = dir.to_str().ok_or("a path that is text")?;
    for expected in [1, 2] {
        let engine = Engine::open(url).await?;
        engine.worker("q").activity(double).start().await?;
        assert_eq!(engine.client().run(double, expected).await?, 2 * expected);
        engine.shutdown().await;
        drop(engine);
    }
    std::fs::remove_dir_all(dir)?;
    Ok(())
}
