//! Neighbours of case 16: panics in steps, in undos, in workflow code, and as errors.

use anyhow::Context as _;
use steadfast::history::Compensation;
use steadfast::prelude::*;
use steadfast::{AttemptError, LastError, RunError, RunStatus};
use steadfast_tests::kit::{Bed, Ledger, ServiceError, StoreKind, TestResult, story_without_markers};

use crate::bombs::DropsBadly;
use crate::support::next_attempt;

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(compensate = unbook)]
    async fn book(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "book", 1).await
    }

    /// Panics twice; the third attempt undoes.
    #[activity(retry(initial_interval = "1s", jitter = 0.0))]
    async fn unbook(&self, ctx: ActivityContext, step: UndoOf<desk::book>) -> Result<(), ServiceError> {
        assert!(ctx.attempt() > 2, "not yet");
        self.0.undo(&ctx, "unbook", &step.idempotency_key).await
    }

    /// Panics in its only attempt, after it has acted.
    #[activity(retry(maximum_attempts = 1), compensate = unpay)]
    async fn pay(&self, ctx: ActivityContext) -> Result<(), ServiceError> {
        self.0.act(&ctx, "pay", 100).await?;
        std::panic::panic_any(DropsBadly);
    }

    #[activity]
    async fn unpay(&self, ctx: ActivityContext, step: UndoOf<desk::pay>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "unpay", &step.idempotency_key).await
    }

    /// Makes an error of what the handle of a task that panics says.
    #[activity(retry(maximum_attempts = 1))]
    async fn delegate(&self) -> Result<u64, AnyFailure> {
        Ok(tokio::spawn(async { panic!("in the child") }).await?)
    }
}

#[workflow]
async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        desk::book(saga).await?;
        desk::pay(saga).await?;
        Ok(())
    })
    .await
}

#[workflow]
async fn step(ctx: WorkflowContext) -> Result<String, WorkflowError> {
    let policy = RetryPolicy::fixed(secs(1)).maximum_attempts(2);
    let call = ctx.step("boom", async || -> Result<u64, AnyFailure> { std::panic::panic_any(DropsBadly) });
    match call.retry(policy).await {
        Err(ActivityError::Exhausted { last: LastError::Panic { message }, attempts: 2, .. }) => Ok(message),
        other => Err(WorkflowError::fail(format!("{other:?}"))),
    }
}

#[workflow]
async fn delegating(ctx: WorkflowContext) -> Result<String, WorkflowError> {
    match desk::delegate(&ctx).await {
        Err(ActivityError::Exhausted { last: LastError::Application(error), .. }) => Ok(error.to_string()),
        other => Err(WorkflowError::fail(format!("{other:?}"))),
    }
}

/// Panics in its own code, with a payload that panics when it is dropped.
#[workflow]
async fn breaks(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.sleep(secs(1)).await?;
    std::panic::panic_any(DropsBadly);
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        let worker = worker.workflow(tour).workflow(step).workflow(delegating).workflow(breaks);
        worker.activities(Desk(ledger)).slots(1)
    })
    .await?;
    Ok(bed)
}

async fn case_16_what_panicked_is_undone_and_a_panicking_undo_is_repeated(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(tour, "t", ()).await?;
    for _ in 0..2 {
        next_attempt(&bed, "t", "unbook").await?;
    }
    let error = run.result().await.err().context("it succeeds")?;
    assert_eq!(error.compensation(), Some(&Compensation::Compensated));
    let RunError::Failed { error, .. } = error else { anyhow::bail!("{error:?}") };
    assert_eq!(error.to_string(), "`pay` failed: given up after 1 attempts: panic: non-text payload");
    assert_eq!(
        bed.ledger().happened(),
        ["book", "pay", "unpay", "unbook"],
        "what panicked may have happened"
    );
    assert_eq!(bed.ledger().balance(), 0);
    let events = bed.check_closed(tour, "t").await?;
    let expected = [
        "WorkflowStarted",
        "ActivityScheduled(book)",
        "ActivityCompleted(book)",
        "ActivityScheduled(pay)",
        "ActivityFailed(pay)",
        "ActivityScheduled(unpay)",
        "ActivityCompleted(unpay)",
        "ActivityScheduled(unbook)",
        "ActivityCompleted(unbook)",
        "WorkflowFailed",
    ];
    assert_eq!(story_without_markers(&events), expected);
    let (letters, _) = bed.client().dead_letters(None, 10).await?;
    let letters: Vec<_> = letters.iter().map(|letter| (letter.activity.as_str(), &letter.error)).collect();
    let panic = AttemptError::Panic { message: "non-text payload".to_owned() };
    assert_eq!(letters, [("pay", &panic)]);
    Ok(())
}

async fn case_16_a_step_that_panics_is_tried_again_and_given_up(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(step, "s", ()).await?;
    next_attempt(&bed, "s", "boom").await?;
    assert_eq!(run.result().await?, "non-text payload");
    bed.check_closed(step, "s").await?;
    Ok(())
}

async fn case_16_a_panic_that_is_made_an_error_keeps_its_message(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let message = bed.start(delegating, "d", ()).await?.result().await?;
    assert!(message.contains("panicked") && message.contains("in the child"), "{message}");
    bed.check_closed(delegating, "d").await?;
    Ok(())
}

async fn case_16_a_panic_in_workflow_code_blocks_that_run_alone(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let broken = bed.start(breaks, "b", ()).await?;
    // In every shard, so also in that of the broken run.
    for other in 0..20 {
        bed.start(delegating, &format!("other {other}"), ()).await?;
    }
    bed.advance(secs(1));
    bed.until_described("b", "it is blocked", |run| run.status == RunStatus::Blocked).await?;
    let run = broken.describe().await?;
    assert_eq!(run.blocked.as_deref(), Some("the workflow panicked: non-text payload"));
    assert_eq!((run.last_event.0, run.mailbox), (2, 1), "nothing is appended");
    for other in 0..20 {
        assert!(bed.handle(delegating, &format!("other {other}")).result().await?.contains("in the child"));
    }
    broken.terminate("it is broken").await?;
    bed.check_closed(delegating, "other 0").await?;
    Ok(())
}

steadfast_tests::on_stores!(
    case_16_what_panicked_is_undone_and_a_panicking_undo_is_repeated,
    case_16_a_step_that_panics_is_tried_again_and_given_up,
    case_16_a_panic_that_is_made_an_error_keeps_its_message,
    case_16_a_panic_in_workflow_code_blocks_that_run_alone,
);
