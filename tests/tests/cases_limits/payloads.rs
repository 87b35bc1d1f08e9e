//! Case 23: a value over the limit is refused at once, by name and size, and never cut short.

use anyhow::{Context as _, ensure};
use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{Payload, PayloadTooLarge, RunError, RunStatus, StartError};
use steadfast_tests::kit::{Bed, Ledger, StoreKind, TestResult, story};

pub(crate) const LIMIT: u64 = 2_097_152;
pub(crate) const THREE_MIB: u64 = 3_145_728;

/// A text that is `size` bytes as it is recorded, quotes included.
pub(crate) fn text(size: u64) -> String {
    let pattern: String = (0..26 * 251_u32).filter_map(|place| char::from_u32(97 + place / 251)).collect();
    let length = usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(2);
    let mut text = pattern.repeat(length / pattern.len() + 1);
    text.truncate(length);
    text
}

/// FNV-1a: enough to tell a text that was cut short or mixed up.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(crate) fn too_large(what: &str, size: u64) -> PayloadTooLarge {
    PayloadTooLarge { what: what.to_owned(), size, limit: LIMIT }
}

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    /// Returns as much as it is asked for.
    #[activity]
    async fn give(&self, ctx: ActivityContext, size: u64) -> Result<String, AnyFailure> {
        self.0.act(&ctx, "give", 1).await?;
        Ok(text(size))
    }

    /// The hash of what it is given.
    #[activity]
    async fn take(&self, ctx: ActivityContext, given: String) -> Result<u64, AnyFailure> {
        self.0.act(&ctx, "take", 1).await?;
        Ok(hash(&given))
    }
}

/// What a call was refused for, if it was, and what the code can do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Seen {
    Hash(u64),
    TooLarge(PayloadTooLarge),
    Other(String),
}

fn seen<T>(result: Result<T, ActivityError<AnyFailure>>, hash: impl FnOnce(T) -> u64) -> Seen {
    match result {
        Ok(value) => Seen::Hash(hash(value)),
        Err(ActivityError::TooLarge(too_large)) => Seen::TooLarge(too_large),
        Err(other) => Seen::Other(other.to_string()),
    }
}

#[workflow]
async fn receives(ctx: WorkflowContext, size: u64) -> Result<(Seen, Seen), WorkflowError> {
    let large = seen(desk::give(&ctx, size).await, |text| hash(&text));
    // The code can go on.
    Ok((large, seen(desk::give(&ctx, 10).await, |text| hash(&text))))
}

#[workflow]
async fn passes(ctx: WorkflowContext, size: u64) -> Result<(Seen, Seen), WorkflowError> {
    let large = seen(desk::take(&ctx, text(size)).await, |hash| hash);
    Ok((large, seen(desk::take(&ctx, text(10)).await, |hash| hash)))
}

#[workflow]
async fn passes_on(ctx: WorkflowContext, size: u64) -> Result<u64, WorkflowError> {
    Ok(desk::take(&ctx, text(size)).await?)
}

#[workflow]
async fn returns(ctx: WorkflowContext, size: u64) -> Result<String, WorkflowError> {
    desk::give(&ctx, 10).await?;
    Ok(text(size))
}

#[workflow]
async fn keeps(ctx: WorkflowContext, given: String) -> Result<u64, WorkflowError> {
    ctx.sleep(secs(1)).await?;
    Ok(hash(&given))
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        let worker = worker.workflow(receives).workflow(passes).workflow(passes_on).workflow(returns);
        worker.workflow(keeps).activities(Desk(ledger))
    })
    .await?;
    Ok(bed)
}

fn small() -> Seen {
    Seen::Hash(hash(&text(10)))
}

async fn case_23a_a_result_over_the_limit_is_final_at_the_first_attempt(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for size in [THREE_MIB, LIMIT + 1] {
        let id = size.to_string();
        let run = bed.start(receives, &id, size).await?;
        let expected = (Seen::TooLarge(too_large("result of `give`", size)), small());
        assert_eq!(run.result().await?, expected);
        let events = bed.check_closed(receives, &id).await?;
        let EventKind::ActivityFailed(failed) = &events.get(2).context("the third event")?.kind else {
            anyhow::bail!("{:#?}", story(&events));
        };
        assert_eq!((failed.attempts.attempt, failed.exhausted), (1, false), "one attempt");
        assert_eq!(
            failed.error.to_string(),
            format!("result of `give` is {size} bytes, the limit is 2097152")
        );
    }
    assert_eq!(bed.ledger().calls_of("give").len(), 4);
    assert_eq!(bed.client().dead_letters(None, 10).await?.0, [], "it is not exhausted");
    Ok(())
}

async fn case_23b_an_argument_over_the_limit_is_refused_at_the_await(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for size in [THREE_MIB, LIMIT + 1] {
        let id = size.to_string();
        let run = bed.start(passes, &id, size).await?;
        let expected = (Seen::TooLarge(too_large("input of `take`", size)), small());
        assert_eq!(run.result().await?, expected);
        let events = bed.check_closed(passes, &id).await?;
        let straight =
            ["WorkflowStarted", "ActivityScheduled(take)", "ActivityCompleted(take)", "WorkflowCompleted"];
        assert_eq!(story(&events), straight, "only the small one was scheduled");
    }
    let run = bed.start(passes_on, "on", THREE_MIB).await?;
    let error = run.result().await.err().context("it succeeds")?;
    let told = "input of `take` is 3145728 bytes, the limit is 2097152";
    assert_eq!(error.workflow_error().map(ToString::to_string).as_deref(), Some(told));
    assert_eq!(story(&bed.check_closed(passes_on, "on").await?), ["WorkflowStarted", "WorkflowFailed"]);
    Ok(())
}

async fn case_23c_a_workflow_whose_result_is_over_the_limit_fails_with_that(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for size in [THREE_MIB, LIMIT + 1] {
        let id = size.to_string();
        let error = bed.start(returns, &id, size).await?.result().await.err().context("it succeeds")?;
        let RunError::Failed { error, .. } = error else { anyhow::bail!("{error:?}") };
        assert_eq!(error, WorkflowError::TooLarge(too_large("result of workflow `returns`", size)));
        let events = bed.check_closed(returns, &id).await?;
        assert_eq!(story(&events).last().map(String::as_str), Some("WorkflowFailed"));
        assert_eq!(bed.client().handle(&id).describe().await?.status, RunStatus::Failed);
    }
    Ok(())
}

async fn case_23e_what_is_at_the_limit_is_accepted_and_whole_after_a_restart(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    let (at, expected) = (text(LIMIT), hash(&text(LIMIT)));
    ensure!(Payload::json(&at)?.size() == LIMIT);
    let results = [
        bed.start(receives, "a", LIMIT).await?.result().await?,
        bed.start(passes, "b", LIMIT).await?.result().await?,
    ];
    assert_eq!(results, [(Seen::Hash(expected), small()), (Seen::Hash(expected), small())]);
    assert_eq!(hash(&bed.start(returns, "c", LIMIT).await?.result().await?), expected);
    bed.start(keeps, "d", at).await?;
    bed.kill_and_restart().await?;
    assert_eq!(hash(&bed.handle(returns, "c").result().await?), expected, "the result is whole");
    bed.advance(secs(1));
    assert_eq!(bed.handle(keeps, "d").result().await?, expected, "the input is whole");
    bed.check_closed(receives, "a").await?;
    bed.check_closed(passes, "b").await?;
    bed.check_closed(returns, "c").await?;
    bed.check_closed(keeps, "d").await?;
    Ok(())
}

async fn case_23e_a_start_over_the_limit_is_refused_and_nothing_is_stored(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let commits = bed.gate().commits().len();
    for size in [LIMIT + 1, THREE_MIB] {
        let refused = bed.client().start(keeps, text(size)).id("k").queue("tours").await;
        let StartError::TooLarge(told) = refused.err().context("it is accepted")? else {
            anyhow::bail!("another error");
        };
        assert_eq!(told, too_large("input of workflow `keeps`", size));
    }
    assert!(bed.client().handle("k").describe().await.is_err(), "there is no run");
    assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
    Ok(())
}

steadfast_tests::on_stores!(
    case_23a_a_result_over_the_limit_is_final_at_the_first_attempt,
    case_23b_an_argument_over_the_limit_is_refused_at_the_await,
    case_23c_a_workflow_whose_result_is_over_the_limit_fails_with_that,
    case_23e_what_is_at_the_limit_is_accepted_and_whole_after_a_restart,
    case_23e_a_start_over_the_limit_is_refused_and_nothing_is_stored,
);
