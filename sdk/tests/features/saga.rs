//! Sagas: what is undone, in which order, and what an undo is told.

use std::sync::{Arc, Mutex, PoisonError};

use steadfast::history::Compensation;
use steadfast::prelude::*;
use steadfast::{Effect, RunError};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// What was done outside, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn say(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[activity(module = shop)]
impl Log {
    #[activity(compensate = cancel)]
    async fn book(&self, what: String) -> Result<u64, AnyFailure> {
        self.say(format!("book {what}"));
        if what == "full" {
            return Err(AnyFailure::non_retryable("no room"));
        }
        Ok(what.len() as u64)
    }

    #[activity]
    async fn cancel(&self, step: UndoOf<shop::book>) -> Result<(), AnyFailure> {
        assert_eq!((step.effect, step.output), (Effect::Done, Some(step.input.len() as u64)));
        assert!(!step.idempotency_key.is_empty());
        self.say(format!("cancel {}", step.input));
        Ok(())
    }

    #[activity]
    async fn note(&self, what: String) -> Result<(), AnyFailure> {
        self.say(format!("note {what}"));
        Ok(())
    }
}

#[workflow]
async fn tour(ctx: WorkflowContext, last: String) -> Result<u64, WorkflowError> {
    ctx.saga(async |saga| {
        let hotel = shop::book(saga, "hotel".to_owned()).await?;
        saga.on_undo(async |ctx| Ok(shop::note(&ctx, "undone by code".to_owned()).await?));
        let inner = saga.saga(async |inner| Ok(shop::book(inner, "inner".to_owned()).await?)).await?;
        let failed = saga.saga(async |inner| {
            shop::book(inner, "lost".to_owned()).await?;
            Err::<(), _>(WorkflowError::fail("caught"))
        });
        assert!(failed.await.is_err_and(|error| error.to_string() == "caught"));
        Ok(hotel + inner + shop::book(saga, last).await?)
    })
    .await
}

async fn run(last: &str) -> Result<(Result<u64, RunError>, Vec<String>), Box<dyn std::error::Error>> {
    let engine = Engine::open("memory:").await?;
    let log = Log::default();
    engine.worker("q").workflow(tour).activities(log.clone()).start().await?;
    let result = engine.client().start(tour, last.to_owned()).queue("q").await?.result().await;
    engine.shutdown().await;
    Ok((result, log.lines()))
}

#[tokio::test]
async fn what_was_done_is_undone_newest_first() -> TestResult {
    let (result, log) = run("full").await?;
    let error = result.unwrap_err();
    assert_eq!(error.compensation(), Some(&Compensation::Compensated));
    assert_eq!(error.downcast::<AnyFailure>().unwrap().to_string(), "no room");
    assert_eq!(
        log,
        [
            "book hotel",
            "book inner",
            "book lost",
            "cancel lost",
            "book full",
            "cancel inner",
            "note undone by code",
            "cancel hotel",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_saga_that_succeeds_undoes_nothing() -> TestResult {
    let (result, log) = run("plane").await?;
    assert_eq!(result?, 15);
    assert_eq!(log, ["book hotel", "book inner", "book lost", "cancel lost", "book plane"]);
    Ok(())
}
