//! Case 5: a step whose outcome is not known is undone.

use steadfast::history::{Compensation, EventKind};
use steadfast::prelude::*;
use steadfast::{AttemptError, CallError, Effect, RunError, TimeoutKind};
use steadfast_tests::kit::{
    Bed, Door, Ledger, LedgerCall, Reply, ServiceError, StoreKind, TestResult, story_without_markers,
};

const PRICE: i64 = 100;

pub(crate) struct Bank(Ledger);

#[activity(module = bank)]
impl Bank {
    #[activity(compensate = refund)]
    async fn charge(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "charge", PRICE).await
    }

    #[activity]
    async fn refund(&self, ctx: ActivityContext, step: UndoOf<bank::charge>) -> Result<(), ServiceError> {
        assert_eq!(step.output.is_some(), step.effect == Effect::Done);
        self.0.undo(&ctx, "refund", &step.idempotency_key).await
    }
}

/// Charges, with at most so many attempts of two seconds each, one second apart.
#[workflow]
pub(crate) async fn pay(ctx: WorkflowContext, attempts: u32) -> Result<u64, WorkflowError> {
    let policy = RetryPolicy::fixed(secs(1)).jitter(0.0).maximum_attempts(attempts);
    ctx.saga(async |saga| Ok(bank::charge(saga).retry(policy).start_to_close(secs(2)).await?)).await
}

/// A run that pays, with what the bank does to its calls.
pub(crate) async fn paying(
    kind: StoreKind,
    attempts: u32,
    charge: impl IntoIterator<Item = Reply>,
) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(pay).activities(Bank(ledger))).await?;
    bed.ledger().script("charge", charge);
    bed.start(pay, "p", attempts).await?;
    Ok(bed)
}

/// How a payment ended that did not succeed: the error, and the history behind `ActivityScheduled(charge)`.
pub(crate) async fn failed(bed: &Bed) -> TestResult<(WorkflowError, Vec<String>)> {
    let result = bed.handle(pay, "p").result().await;
    let Err(RunError::Failed { error, compensation }) = result else { panic!("{result:?}") };
    let story = story_without_markers(&bed.check_closed(pay, "p").await?);
    assert_eq!(story[..2], ["WorkflowStarted", "ActivityScheduled(charge)"]);
    let is_refunded = story.iter().any(|line| line == "ActivityCompleted(refund)");
    let expected = if is_refunded { Compensation::Compensated } else { Compensation::None };
    assert_eq!(compensation, expected);
    assert_eq!(bed.ledger().balance(), 0);
    Ok((error, story[2..].to_vec()))
}

/// What every refund of this case looks like in the history.
pub(crate) fn undone_after(closing: &str) -> Vec<String> {
    let lines = [closing, "ActivityScheduled(refund)", "ActivityCompleted(refund)", "WorkflowFailed"];
    lines.map(str::to_owned).to_vec()
}

/// Without a refund.
pub(crate) fn not_undone_after(closing: &str) -> Vec<String> {
    [closing, "WorkflowFailed"].map(str::to_owned).to_vec()
}

/// C3: the refund reads the very key of the charge.
pub(crate) fn check_keys(bed: &Bed) {
    let keys = |calls: Vec<LedgerCall>, key: fn(LedgerCall) -> Option<String>| {
        calls.into_iter().filter_map(key).collect::<std::collections::BTreeSet<_>>()
    };
    let charged = keys(bed.ledger().calls_of("charge"), |call| Some(call.key));
    let undone = keys(bed.ledger().calls_of("refund"), |call| call.undoes);
    assert_eq!((charged.len(), charged), (1, undone));
}

async fn dead_letters(bed: &Bed) -> TestResult<usize> {
    Ok(bed.client().dead_letters(None, 10).await?.0.len())
}

fn exhausted(error: &WorkflowError) -> (&AttemptError, u32) {
    let WorkflowError::Activity { name, error, .. } = error else { panic!("{error:?}") };
    let CallError::Exhausted { last, attempts } = &**error else { panic!("{error:?}") };
    assert_eq!(name, "charge");
    (last, *attempts)
}

async fn case_05_a_step_that_timed_out_after_its_effect_is_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 1, [Reply::StallAfter(Door::new())]).await?;
    bed.ledger().until_effect("charge", 1).await?;
    bed.advance(secs(2));
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityTimedOut(charge)"));
    assert_eq!(exhausted(&error), (&AttemptError::TimedOut(TimeoutKind::StartToClose), 1));
    assert_eq!(bed.ledger().happened(), ["charge", "refund"]);
    check_keys(&bed);
    Ok(())
}

async fn case_05_a_step_that_was_declined_is_not_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 0, [Reply::Decline]).await?;
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, not_undone_after("ActivityFailed(charge)"));
    assert_eq!(error.downcast(), Some(ServiceError::Declined));
    assert_eq!((bed.ledger().happened().len(), dead_letters(&bed).await?), (0, 0));
    Ok(())
}

async fn case_05_one_attempt_with_an_unknown_outcome_is_enough_to_undo_the_step(
    kind: StoreKind,
) -> TestResult {
    let bed = paying(kind, 2, [Reply::StallAfter(Door::new()), Reply::Decline]).await?;
    bed.ledger().until_effect("charge", 1).await?;
    bed.advance(secs(2));
    assert_eq!(bed.skip_backoff("p", "charge").await?, secs(1));
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    assert_eq!(error.downcast(), Some(ServiceError::Declined));
    assert_eq!(dead_letters(&bed).await?, 0);
    check_keys(&bed);
    Ok(())
}

async fn case_05_a_lost_reply_before_a_refusal_is_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 0, [Reply::LoseReply, Reply::Decline]).await?;
    bed.skip_backoff("p", "charge").await?;
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    assert_eq!(error.downcast(), Some(ServiceError::Declined));
    assert_eq!(bed.ledger().happened(), ["charge", "refund"]);
    check_keys(&bed);
    Ok(())
}

async fn case_05_attempts_that_all_say_that_nothing_happened_are_not_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 3, [Reply::Refuse, Reply::Refuse, Reply::Refuse]).await?;
    bed.run_on("p").await?;
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, not_undone_after("ActivityFailed(charge)"));
    assert_eq!(error.downcast(), Some(ServiceError::Busy));
    assert_eq!(exhausted(&error).1, 3);
    assert_eq!(bed.ledger().calls_of("charge").len(), 3);
    let events = bed.history("p").await?;
    let EventKind::ActivityFailed(failed) = &events[2].kind else { panic!("{events:?}") };
    assert_eq!((failed.attempts.effect, failed.exhausted), (Effect::None, true));
    Ok(())
}

steadfast_tests::on_stores!(
    case_05_a_step_that_timed_out_after_its_effect_is_undone,
    case_05_a_step_that_was_declined_is_not_undone,
    case_05_one_attempt_with_an_unknown_outcome_is_enough_to_undo_the_step,
    case_05_a_lost_reply_before_a_refusal_is_undone,
    case_05_attempts_that_all_say_that_nothing_happened_are_not_undone,
);
