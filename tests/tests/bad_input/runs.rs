//! Runs that do not exist, are closed, or failed.

use steadfast::prelude::*;
use steadfast::{IdReusePolicy, RunStatus};
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult};

use crate::table::Table;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
enum BankError {
    #[error("card declined")]
    #[failure(non_retryable)]
    Declined,
}

#[activity]
async fn charge() -> Result<u64, BankError> {
    Err(BankError::Declined)
}

#[activity(retry(maximum_attempts = 1))]
async fn unreachable() -> Result<u64, AnyFailure> {
    Err(AnyFailure::retryable("no route"))
}

#[workflow]
async fn ends(ctx: WorkflowContext, how: String) -> Result<u64, WorkflowError> {
    match how.as_str() {
        "completed" => Ok(7),
        "failed" => Ok(charge(&ctx).await?),
        "exhausted" => Ok(unreachable(&ctx).await?),
        _ => {
            ctx.sleep(hours(1)).await?;
            Ok(8)
        }
    }
}

/// The same name; a caller that expects another result.
#[workflow(name = "ends")]
async fn ends_in_text(ctx: WorkflowContext, how: String) -> Result<String, WorkflowError> {
    let _ = (ctx, how);
    Ok(String::new())
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(ends).activities(activities![charge, unreachable])).await?;
    Ok(bed)
}

async fn a_run_that_does_not_exist_is_not_found(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let nobody = bed.client().handle_of(ends, "nobody");
    let mut said = Table::default();
    said.add("describe", nobody.describe().await);
    said.add("history", nobody.history().await);
    said.add("outcome", nobody.outcome().await);
    said.add("result", nobody.result().await);
    said.add("cancel", nobody.cancel().await);
    said.add("terminate", nobody.terminate("why").await);
    let missing = "there is no such run of workflow `nobody`; check its id";
    said.assert_is(&[
        ("describe", missing),
        ("history", missing),
        ("outcome", missing),
        ("result", missing),
        ("cancel", missing),
        ("terminate", missing),
    ]);
    assert_eq!(bed.gate().commits().len(), 0, "nothing is written");
    Ok(())
}

/// Brings a run to an end of each kind, and says what its result is.
async fn each_end_is_said_with_its_cause(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let mut said = Table::default();
    for (how, status) in [
        ("completed", RunStatus::Completed),
        ("failed", RunStatus::Failed),
        ("exhausted", RunStatus::Failed),
        ("cancelled", RunStatus::Cancelled),
        ("terminated", RunStatus::Terminated),
        ("run timeout", RunStatus::TimedOut),
        ("execution timeout", RunStatus::TimedOut),
    ] {
        let start = bed.client().start(ends, how.to_owned()).id(how).queue(QUEUE);
        let run = match how {
            "run timeout" => start.run_timeout(secs(1)).await?,
            "execution timeout" => start.execution_timeout(secs(1)).await?,
            _ => start.await?,
        };
        match how {
            "cancelled" => run.cancel().reason("the guest left").await?,
            "terminated" => run.terminate("the guest left").await?,
            _ => bed.advance(secs(1)),
        }
        said.add(how, run.result().await);
        assert_eq!(run.describe().await?.status, status);
    }
    let other = bed.client().handle_of(ends_in_text, "completed");
    said.add("completed, read as another type", other.result().await);
    said.assert_is(&[
        ("completed", "accepted"),
        ("failed", "the workflow failed: card declined"),
        ("exhausted", "the workflow failed: `unreachable` failed: given up after 1 attempts: AnyFailure: no route"),
        ("cancelled", "the workflow was cancelled"),
        ("terminated", "the workflow was terminated: the guest left"),
        ("run timeout", "the run timeout of the workflow passed"),
        ("execution timeout", "the execution timeout of the workflow passed"),
        (
            "completed, read as another type",
            "the result of `ends` cannot be read: invalid type: integer `7`, expected a string at line 1 column 1",
        ),
    ]);
    Ok(())
}

async fn a_closed_run_can_be_looked_at_and_not_be_ended(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for how in ["completed", "failed", "terminated"] {
        let run = bed.client().start(ends, how.to_owned()).id(how).queue(QUEUE).await?;
        if how == "terminated" {
            run.terminate("enough").await?;
        }
        assert_eq!(run.result().await.is_ok(), how == "completed");
        let (history, commits) = (run.history().await?, bed.gate().commits().len());
        let id = run.run_id().map(|id| id.to_string()).unwrap_or_default();
        let mut said = Table::default();
        said.add("cancel", run.cancel().await);
        said.add("terminate", run.terminate("why").await);
        said.add("describe", run.describe().await);
        said.add("outcome", run.outcome().await);
        let closed = format!("run {id} of workflow `{how}` is closed already; its result can be read");
        said.assert_is(&[
            ("cancel", &closed),
            ("terminate", &closed),
            ("describe", "accepted"),
            ("outcome", "accepted"),
        ]);
        assert_eq!(run.history().await?, history, "the history is as it was");
        assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
        bed.check_closed(ends, how).await?;
    }
    Ok(())
}

async fn an_id_that_is_taken_is_refused_with_the_run_that_has_it(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let client = bed.client();
    let start = |how: &str| client.start(ends, how.to_owned()).queue(QUEUE);
    let open = start("sleeps").id("open").request_id("r").await?;
    let closed = start("completed").id("closed").await?;
    closed.result().await?;
    let commits = bed.gate().commits().len();
    let mut said = Table::default();
    said.add("open", start("sleeps").id("open").await);
    said.add("closed, no reuse", start("sleeps").id("closed").id_reuse(IdReusePolicy::RejectDuplicate).await);
    let only_failed = start("sleeps").id("closed").id_reuse(IdReusePolicy::AllowDuplicateFailedOnly);
    said.add("completed, reuse of failed ones only", only_failed.await);
    said.add("the request id of a start, for a cancel", open.cancel().request_id("r").await);
    let of =
        |run: &steadfast::WorkflowHandle<ends>| run.run_id().map(|id| id.to_string()).unwrap_or_default();
    let (open, closed) = (of(&open), of(&closed));
    let taken =
        format!("workflow `open` was started already as run {open}; use another id, or another id policy");
    let used = format!(
        "workflow `closed` was started already as run {closed}; use another id, or another id policy"
    );
    let request = "request id `r` was used for another call of this workflow; use a new one";
    said.assert_is(&[
        ("open", &taken),
        ("closed, no reuse", &used),
        ("completed, reuse of failed ones only", &used),
        ("the request id of a start, for a cancel", request),
    ]);
    assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
    Ok(())
}

steadfast_tests::on_stores!(
    a_run_that_does_not_exist_is_not_found,
    each_end_is_said_with_its_cause,
    a_closed_run_can_be_looked_at_and_not_be_ended,
    an_id_that_is_taken_is_refused_with_the_run_that_has_it,
);
