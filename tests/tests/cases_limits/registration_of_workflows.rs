//! Case 37: workflows that nobody has registered, and starts whose input does not fit.

use anyhow::Context as _;
use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{ListFilter, RunDescription, RunError, RunStatus};
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult, story};

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[workflow]
async fn known(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, n).await?)
}

#[workflow]
async fn unknown(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    ctx.sleep(secs(1)).await?;
    Ok(double(&ctx, n).await?)
}

/// The next version of [`known`].
#[workflow(name = "unknown", version = 2)]
async fn unknown_next(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, n + 1).await?)
}

/// [`known`] as a caller of another version thinks of it.
#[workflow(name = "known")]
async fn known_by_text(ctx: WorkflowContext, text: String) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, text.len() as u64).await?)
}

const REASON: &str = "workflow not registered on queue `tours`: unknown; known: known";

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(known).activity(double)).await?;
    Ok(bed)
}

fn assert_waits(run: &RunDescription, reason: &str) {
    assert_eq!((run.status, run.blocked.as_deref()), (RunStatus::Blocked, Some(reason)));
    assert_eq!(run.attention, [reason]);
}

async fn case_37_a_workflow_that_nobody_has_waits_and_resumes_when_somebody_has_it(
    kind: StoreKind,
) -> TestResult {
    let mut bed = bed(kind).await?;
    let run = bed.start(unknown, "u", 4).await?;
    let seen = run.describe().await?;
    assert_waits(&seen, REASON);
    assert_eq!((seen.last_event.0, seen.mailbox, seen.version), (0, 1, None), "its history has not begun");
    let filter = ListFilter { needs_attention: true, ..ListFilter::default() };
    assert_eq!(bed.client().list(filter, None, 10).await?.rows.len(), 1);
    bed.kill_and_restart().await?;
    bed.advance(hours(24));
    assert_waits(&bed.client().handle("u").describe().await?, REASON);
    bed.serve(|worker, _| worker.workflow(unknown)).await?;
    bed.until_described("u", "its history has begun", |run| run.last_event.0 == 2).await?;
    bed.advance(secs(1));
    assert_eq!(bed.handle(unknown, "u").result().await?, 8);
    let events = bed.check_closed(unknown, "u").await?;
    assert_eq!(story(&events).first().map(String::as_str), Some("WorkflowStarted"));
    Ok(())
}

async fn case_37_a_run_whose_function_is_gone_waits_for_it(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.serve(|worker, _| worker.workflow(unknown)).await?;
    bed.start(unknown, "u", 4).await?;
    bed.kill();
    bed.forget_workers();
    bed.reopen().await?;
    // Only a later version is left, which the run must not go on with.
    bed.serve(|worker, _| worker.workflow(unknown_next).activity(double)).await?;
    bed.advance(secs(1));
    bed.until_described("u", "it is blocked", |run| run.status == RunStatus::Blocked).await?;
    let reason = "workflow not registered on queue `tours`: unknown version 1; known: unknown version 2";
    let seen = bed.client().handle("u").describe().await?;
    assert_waits(&seen, reason);
    assert_eq!((seen.last_event.0, seen.mailbox), (2, 1), "the timer waits");
    bed.serve(|worker, _| worker.workflow(unknown)).await?;
    assert_eq!(bed.handle(unknown, "u").result().await?, 8);
    bed.check_closed(unknown, "u").await?;
    assert_eq!(bed.start(unknown_next, "next", 4).await?.result().await?, 10, "new runs take the newest");
    Ok(())
}

async fn case_37_a_run_that_waits_for_its_function_can_be_ended(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let ended = bed.start(unknown, "t", 4).await?;
    ended.terminate("nobody wants it").await?;
    let RunError::Terminated { reason, .. } = ended.result().await.err().context("it has an end")? else {
        anyhow::bail!("another end");
    };
    assert_eq!(reason, "nobody wants it");
    assert_eq!(story(&bed.history("t").await?), ["WorkflowStarted", "WorkflowTerminated"]);
    Ok(())
}

async fn case_37_a_start_whose_input_does_not_fit_fails_the_run_without_a_loop(
    kind: StoreKind,
) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(known_by_text, "w", "seven".to_owned()).await?;
    let RunError::Failed { error, .. } = run.result().await.err().context("it fits")? else {
        anyhow::bail!("another end");
    };
    let told = "the input of workflow `known` cannot be read: invalid type: string \"seven\", expected u64 at line 1 column 7";
    assert_eq!(error.to_string(), told);
    let events = bed.check_closed(known, "w").await?;
    assert_eq!(story(&events), ["WorkflowStarted", "WorkflowFailed"]);
    let EventKind::WorkflowFailed(failed) = &events.last().context("an event")?.kind else {
        anyhow::bail!("no")
    };
    assert_eq!(failed.by, steadfast::history::ClosedBy::Code);
    assert_eq!(
        bed.gate().commits().iter().flat_map(|commit| &commit.events).count(),
        2,
        "one turn, one commit"
    );
    Ok(())
}

async fn case_37_a_result_that_does_not_fit_is_said_to_the_caller(kind: StoreKind) -> TestResult {
    /// [`known`] as a caller that expects another result thinks of it.
    #[workflow(name = "known")]
    async fn known_for_text(ctx: WorkflowContext, n: u64) -> Result<String, WorkflowError> {
        Ok(double(&ctx, n).await?.to_string())
    }
    let bed = bed(kind).await?;
    let error = bed
        .client()
        .start(known_for_text, 4)
        .id("r")
        .queue(QUEUE)
        .await?
        .result()
        .await
        .err()
        .context("it succeeds")?;
    let RunError::Unreadable { workflow, source } = &error else { anyhow::bail!("{error:?}") };
    assert_eq!((*workflow, error.to_string().as_str()), ("known", "the result of `known` cannot be read"));
    assert_eq!(source.to_string(), "invalid type: integer `8`, expected a string at line 1 column 1");
    Ok(())
}

steadfast_tests::on_stores!(
    case_37_a_workflow_that_nobody_has_waits_and_resumes_when_somebody_has_it,
    case_37_a_run_whose_function_is_gone_waits_for_it,
    case_37_a_run_that_waits_for_its_function_can_be_ended,
    case_37_a_start_whose_input_does_not_fit_fails_the_run_without_a_loop,
    case_37_a_result_that_does_not_fit_is_said_to_the_caller,
);
