//! Values that do not fit, and calls that cannot be made.

use anyhow::Context as _;
use steadfast::prelude::*;
use steadfast::{ListFilter, RunError};
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult};

use crate::table::{Table, chain};

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[activity(name = "double")]
async fn double_text(text: String) -> Result<u64, AnyFailure> {
    Ok(text.len() as u64)
}

#[activity]
async fn give(bytes: usize) -> Result<String, AnyFailure> {
    Ok("x".repeat(bytes - 2))
}

#[activity]
async fn nobody_has() -> Result<(), AnyFailure> {
    Ok(())
}

/// JSON has no such number.
#[activity]
async fn unwritable() -> Result<Bad, AnyFailure> {
    Ok(Bad)
}

#[derive(Debug, Deserialize)]
struct Bad;

impl Serialize for Bad {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it has no text"))
    }
}

#[workflow]
async fn calls(ctx: WorkflowContext, how: String) -> Result<u64, WorkflowError> {
    match how.as_str() {
        "an argument of another shape" => Ok(double_text(&ctx, "two".to_owned()).await?),
        "an argument of 3 MiB" => Ok(double_text(&ctx, "x".repeat(3 << 20)).await?),
        "a result of 3 MiB" => Ok(give(&ctx, 3 << 20).await?.len() as u64),
        "a result that cannot be written" => Ok(unwritable(&ctx).await.map(|Bad| 0)?),
        "nobody has it" => Ok(nobody_has(&ctx).schedule_to_close(secs(1)).await.map(|()| 0)?),
        "a step of a saga that is over" => {
            let late = ctx.saga(async |saga| Ok(double(saga, 1))).await?;
            Ok(late.await?)
        }
        "2,001 activities at a time" => {
            let calls = (0..2_001).map(|n| double(&ctx, n).queue("elsewhere"));
            Ok(try_join_all(calls).await?.len() as u64)
        }
        _ => Err(WorkflowError::fail(how)),
    }
}

#[workflow]
async fn large(ctx: WorkflowContext, given: String) -> Result<String, WorkflowError> {
    let _ = ctx;
    Ok(given.repeat(2))
}

/// [`calls`] as another program thinks of it.
#[workflow(name = "calls")]
async fn calls_by_number(ctx: WorkflowContext, how: u64) -> Result<u64, WorkflowError> {
    let _ = ctx;
    Ok(how)
}

#[workflow]
async fn unwritten(ctx: WorkflowContext, bad: Bad) -> Result<u64, WorkflowError> {
    let _ = (ctx, bad);
    Ok(0)
}

#[workflow]
async fn unknown(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    let _ = ctx;
    Ok(n)
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| {
        let worker = worker.workflow(calls).workflow(large);
        worker.activities(activities![double, give, unwritable])
    })
    .await?;
    Ok(bed)
}

async fn a_call_that_cannot_be_made_says_why(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let mut said = Table::default();
    for how in [
        "an argument of another shape",
        "an argument of 3 MiB",
        "a result of 3 MiB",
        "a result that cannot be written",
        "nobody has it",
        "a step of a saga that is over",
        "2,001 activities at a time",
    ] {
        let run = bed.start(calls, how, how.to_owned()).await?;
        if how == "nobody has it" {
            bed.advance(secs(1));
        }
        let RunError::Failed { error, .. } = run.result().await.err().context("it succeeds")? else {
            anyhow::bail!("{how}")
        };
        said.say(how, chain(&error));
        bed.check_closed(calls, how).await?;
    }
    said.assert_is(&[
        (
            "an argument of another shape",
            "`double` failed: the input cannot be read: invalid type: string \"two\", expected u64 at line 1 column 5",
        ),
        ("an argument of 3 MiB", "input of `double` is 3145730 bytes, the limit is 2097152"),
        ("a result of 3 MiB", "result of `give` is 3145728 bytes, the limit is 2097152"),
        ("a result that cannot be written", "`unwritable` failed: the result cannot be written: it has no text"),
        (
            "nobody has it",
            "`nobody_has` failed: schedule-to-close timeout (not registered: nobody_has; known: double, give, unwritable)",
        ),
        (
            "a step of a saga that is over",
            "`double` failed: the saga has already ended; a step belongs inside its body",
        ),
        (
            "2,001 activities at a time",
            "`double` failed: 2000 activities are open already, the limit is 2000; await some first",
        ),
    ]);
    Ok(())
}

async fn a_start_that_cannot_be_made_says_why(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let client = bed.client();
    let mut said = Table::default();
    said.add("an input of 3 MiB", client.start(large, "x".repeat(3 << 20)).queue(QUEUE).await);
    said.add("an input that cannot be written", client.start(unwritten, Bad).queue(QUEUE).await);
    said.add("an activity's input of 3 MiB", client.run(double_text, "x".repeat(3 << 20)).queue(QUEUE).await);
    assert_eq!(bed.gate().commits().len(), 0, "nothing is written");
    let run = client.start(calls_by_number, 7).id("shape").queue(QUEUE).await?;
    said.add("an input of another shape", run.result().await);
    said.add(
        "an activity's input of another shape",
        client.run(double_text, "two".to_owned()).queue(QUEUE).await,
    );
    let run = client.start(large, "x".repeat(2 << 19)).id("large").queue(QUEUE).await?;
    said.add("a result of 2 MiB and 2 bytes", run.result().await);
    let run = client.start(unknown, 7).id("unknown").queue(QUEUE).await?;
    said.say("a workflow that nobody has", run.describe().await?.blocked.unwrap_or_default());
    said.assert_is(&[
        ("an input of 3 MiB", "input of workflow `large` is 3145730 bytes, the limit is 2097152"),
        ("an input that cannot be written", "the input cannot be written: it has no text"),
        ("an activity's input of 3 MiB", "input of `double` is 3145730 bytes, the limit is 2097152"),
        (
            "an input of another shape",
            "the workflow failed: the input of workflow `calls` cannot be read: invalid type: integer `7`, expected a string at line 1 column 1",
        ),
        (
            "an activity's input of another shape",
            "`double` failed: the input cannot be read: invalid type: string \"two\", expected u64 at line 1 column 5",
        ),
        (
            "a result of 2 MiB and 2 bytes",
            "the workflow failed: result of workflow `large` is 2097154 bytes, the limit is 2097152",
        ),
        (
            "a workflow that nobody has",
            "workflow not registered on queue `tours`: unknown; known: calls, large",
        ),
    ]);
    Ok(())
}

/// What is no error, though it looks like one.
async fn odd_requests_do_what_they_say(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let client = bed.client();
    let page = client.list(ListFilter::default(), None, 0).await?;
    assert_eq!((page.rows.len(), page.next), (0, None), "a page of nothing");
    let at_once = client.start(calls, "never".to_owned()).id("late").queue(QUEUE).run_timeout(Duration::ZERO);
    let ended = at_once.await?.result().await;
    assert!(ended.is_err(), "{ended:?}");
    let never =
        client.start(calls, "never".to_owned()).id("never").queue(QUEUE).start_delay(Duration::MAX).await?;
    assert!(never.describe().await?.starts_at.is_some());
    never.terminate("enough").await?;
    Ok(())
}

steadfast_tests::on_stores!(
    a_call_that_cannot_be_made_says_why,
    a_start_that_cannot_be_made_says_why,
    odd_requests_do_what_they_say,
);
