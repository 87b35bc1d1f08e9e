//! Neighbours of case 23: large values in steps, errors, heartbeats, undos, without a workflow, and many at a time.

use anyhow::Context as _;
use steadfast::history::{Compensation, RunLimits};
use steadfast::prelude::*;
use steadfast::{HeartbeatError, LastError, PayloadTooLarge, RunActivityError, StartError, StepError};
use steadfast_tests::kit::{Bed, Ledger, StoreKind, TestResult, eventually, story};

use crate::payloads::{LIMIT, THREE_MIB, hash, text, too_large};
use crate::support::{loaded, store};

/// Together more than any one record may hold.
const MANY: u64 = 40;

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(retry(maximum_attempts = 1))]
    async fn fail(&self, size: u64) -> Result<(), AnyFailure> {
        Err(AnyFailure::retryable(text(size)))
    }

    #[activity(retry(maximum_attempts = 1))]
    async fn beat(&self, ctx: ActivityContext, size: u64) -> Result<Option<PayloadTooLarge>, AnyFailure> {
        match ctx.heartbeat(text(size)) {
            Ok(()) => Ok(None),
            Err(HeartbeatError::TooLarge(too_large)) => Ok(Some(too_large)),
            Err(other) => Err(AnyFailure::non_retryable(other)),
        }
    }

    /// Returns what it is given; so its undo is told of it twice.
    #[activity(compensate = unecho)]
    async fn echo(&self, given: String) -> Result<String, AnyFailure> {
        Ok(given)
    }

    #[activity]
    async fn unecho(&self, ctx: ActivityContext, step: UndoOf<desk::echo>) -> Result<(), AnyFailure> {
        self.0.undo(&ctx, "unecho", &step.idempotency_key).await?;
        let is_whole = step.output.as_ref() == Some(&step.input) && step.input == text(LIMIT);
        if is_whole { Ok(()) } else { Err(AnyFailure::non_retryable("it was cut short")) }
    }
}

#[workflow]
async fn steps(ctx: WorkflowContext, size: u64) -> Result<Option<PayloadTooLarge>, WorkflowError> {
    match ctx.step("large", async move || Ok(text(size))).await {
        Ok(given) if hash(&given) == hash(&text(size)) => Ok(None),
        Err(StepError::TooLarge(too_large)) => Ok(Some(too_large)),
        other => Err(WorkflowError::fail(format!("{:?}", other.err()))),
    }
}

#[workflow]
async fn takes(ctx: WorkflowContext, given: String) -> Result<u64, WorkflowError> {
    ctx.sleep(secs(1)).await?;
    Ok(hash(&given))
}

#[workflow]
async fn fails(ctx: WorkflowContext, size: u64) -> Result<(usize, bool), WorkflowError> {
    match desk::fail(&ctx, size).await {
        Err(ActivityError::Exhausted { last: LastError::Application(error), .. }) => {
            Ok((error.to_string().len(), true))
        }
        Err(ActivityError::Exhausted { last, .. }) => Ok((last.to_string().len(), false)),
        other => Err(WorkflowError::fail(format!("{other:?}"))),
    }
}

#[workflow]
async fn undoes(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        desk::echo(saga, text(LIMIT)).await?;
        Err(WorkflowError::fail("enough"))
    })
    .await
}

#[workflow]
async fn many(ctx: WorkflowContext, count: u64) -> Result<u64, WorkflowError> {
    let mut whole = 0;
    for echoed in join_all((0..count).map(|_| desk::echo(&ctx, text(LIMIT)))).await {
        whole += u64::from(hash(&echoed?) == hash(&text(LIMIT)));
    }
    Ok(whole)
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        let worker = worker.workflow(steps).workflow(fails).workflow(undoes).workflow(many);
        worker.activities(Desk(ledger))
    })
    .await?;
    Ok(bed)
}

async fn case_23a_the_result_of_a_step_has_the_same_limit(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for size in [THREE_MIB, LIMIT + 1] {
        let id = size.to_string();
        let told = bed.start(steps, &id, size).await?.result().await?;
        assert_eq!(told, Some(too_large("result of `large`", size)));
        let straight = ["WorkflowStarted", "StepStarted(large)", "StepFailed(large)", "WorkflowCompleted"];
        assert_eq!(story(&bed.check_closed(steps, &id).await?), straight);
    }
    assert_eq!(bed.start(steps, "at", LIMIT).await?.result().await?, None);
    bed.check_closed(steps, "at").await?;
    Ok(())
}

async fn case_23a_the_text_of_an_error_is_cut_and_marked_and_its_value_is_left_out(
    kind: StoreKind,
) -> TestResult {
    let bed = bed(kind).await?;
    let cut = format!("AnyFailure: {} … (cut, {} bytes in all)", "a".repeat(8 * 1024), THREE_MIB - 2);
    assert_eq!(bed.start(fails, "f", THREE_MIB).await?.result().await?, (cut.len(), false));
    bed.check_closed(fails, "f").await?;
    let whole = 100_000;
    assert_eq!(bed.start(fails, "g", whole).await?.result().await?, (usize::try_from(whole)? - 2, true));
    bed.check_closed(fails, "g").await?;
    Ok(())
}

async fn case_23a_heartbeat_details_have_a_limit_of_their_own(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let client = bed.client();
    let told = client.run(desk::beat, 4_097).queue("tours").await?;
    let expected = PayloadTooLarge { what: "heartbeat of `beat`".to_owned(), size: 4_097, limit: 4_096 };
    assert_eq!(told, Some(expected));
    assert_eq!(client.run(desk::beat, 4_096).queue("tours").await?, None);
    Ok(())
}

async fn case_23b_an_undo_is_told_the_whole_input_and_output_of_its_step(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let error = bed.start(undoes, "u", ()).await?.result().await.err().context("it succeeds")?;
    assert_eq!(error.compensation(), Some(&Compensation::Compensated), "{error:?}");
    bed.check_closed(undoes, "u").await?;
    Ok(())
}

async fn case_23b_an_activity_without_a_workflow_has_the_same_limit(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = |size| bed.client().run(desk::echo, text(size)).id(size.to_string()).queue("tours");
    assert_eq!(hash(&run(LIMIT).await?), hash(&text(LIMIT)), "what is at the limit is accepted");
    let commits = bed.gate().commits().len();
    for size in [LIMIT + 1, THREE_MIB] {
        let refused = run(size).await.err().context("it is accepted")?;
        let RunActivityError::Start(StartError::TooLarge(told)) = refused else {
            anyhow::bail!("{refused:?}")
        };
        assert_eq!(told, too_large("input of `echo`", size));
    }
    assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
    Ok(())
}

async fn case_23e_many_values_at_the_limit_in_one_activation_are_stored(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    let started = bed.start(many, "m", MANY).await?;
    assert_eq!(started.result().await?, MANY);
    bed.kill_and_restart().await?;
    assert_eq!(bed.handle(many, "m").result().await?, MANY);
    assert_eq!(loaded(&*store(&bed)?, "m")?.len() as u64, 2 * MANY + 2);
    Ok(())
}

/// A limit that is set beyond what a record may have is no way around that.
async fn case_23e_what_no_record_can_hold_is_refused_in_words(kind: StoreKind) -> TestResult {
    let limits = RunLimits { payload_bytes_max: 1 << 30, ..RunLimits::default() };
    let mut bed = Bed::with(kind, move |config| steadfast::EngineConfig { limits, ..config }).await?;
    bed.serve(|worker, ledger| worker.workflow(steps).workflow(takes).activities(Desk(ledger))).await?;
    let refused = bed.client().start(takes, text(70 << 20)).id("t").queue("tours").await;
    let told = refused.err().context("it is accepted")?.to_string();
    let why = "an activation is too large to be stored: ";
    assert!(
        told.starts_with(why) && told.ends_with(" bytes are more than a record may have, 67108864"),
        "{told}"
    );
    assert_eq!(bed.gate().commits().len(), 0, "nothing is written");
    // A result that cannot be stored stops its run, which says so; its slot is free.
    let run = bed.start(steps, "s", 70 << 20).await?;
    eventually("the slot is free", async || Ok(bed.engine().slots_in_use() == 0)).await?;
    let told = run.describe().await.err().context("it is shown as if nothing were")?.to_string();
    assert!(told.starts_with(why), "{told}");
    assert_eq!(loaded(&*store(&bed)?, "s")?.len(), 2, "what was written before is whole");
    assert_eq!(bed.start(steps, "small", 10).await?.result().await?, None, "others go on");
    Ok(())
}

steadfast_tests::on_stores!(
    case_23a_the_result_of_a_step_has_the_same_limit,
    case_23a_the_text_of_an_error_is_cut_and_marked_and_its_value_is_left_out,
    case_23a_heartbeat_details_have_a_limit_of_their_own,
    case_23b_an_undo_is_told_the_whole_input_and_output_of_its_step,
    case_23b_an_activity_without_a_workflow_has_the_same_limit,
    case_23e_many_values_at_the_limit_in_one_activation_are_stored,
    case_23e_what_no_record_can_hold_is_refused_in_words,
);
