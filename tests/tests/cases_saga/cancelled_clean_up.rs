//! Case 4: cancelling the workflow does not cancel its own clean-up.

use steadfast::history::{Compensation, EventKind};
use steadfast::prelude::*;
use steadfast::{RunError, RunStatus};
use steadfast_tests::kit::{
    Bed, Ledger, Reply, ServiceError, StoreKind, TestResult, story, story_without_markers,
};

/// The refund of this case is code of the workflow's own, which waits before it calls.
struct Warehouse(Ledger);

#[activity(module = warehouse)]
impl Warehouse {
    #[activity(compensate = release)]
    async fn reserve(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "reserve", 1).await
    }

    #[activity]
    async fn release(
        &self,
        ctx: ActivityContext,
        step: UndoOf<warehouse::reserve>,
    ) -> Result<(), ServiceError> {
        assert!(!ctx.is_cancelled(), "the body of an undo is not asked to end");
        self.0.undo(&ctx, "release", &step.idempotency_key).await
    }

    #[activity]
    async fn charge(&self, ctx: ActivityContext) -> Result<String, ServiceError> {
        self.0.act(&ctx, "charge", 100).await?;
        Ok(ctx.idempotency_key().to_owned())
    }

    #[activity]
    async fn refund(
        &self,
        ctx: ActivityContext,
        charged: String,
        is_cancelled: bool,
    ) -> Result<(), ServiceError> {
        assert!(
            !is_cancelled && !ctx.is_cancelled(),
            "neither the code nor the body of an undo is cancelled"
        );
        self.0.undo(&ctx, "refund", &charged).await
    }

    #[activity]
    async fn ship(&self, ctx: ActivityContext) -> Result<(), ServiceError> {
        self.0.act(&ctx, "ship", 0).await?;
        ctx.cancelled().await;
        Err(ServiceError::Network)
    }
}

#[workflow]
async fn order(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        warehouse::reserve(saga).await?;
        let charged = warehouse::charge(saga).await?;
        saga.on_undo(async move |ctx| {
            ctx.sleep(secs(1)).await?;
            warehouse::refund(&ctx, charged, ctx.is_cancelled()).await?;
            Ok(())
        });
        warehouse::ship(saga).await?;
        Ok(())
    })
    .await
}

const CANCELLED: [&str; 18] = [
    "WorkflowStarted",
    "ActivityScheduled(reserve)",
    "ActivityCompleted(reserve)",
    "ActivityScheduled(charge)",
    "ActivityCompleted(charge)",
    "ActivityScheduled(ship)",
    "CancelRequested",
    "ActivityCancelRequested(ship)",
    "ActivityCancelled(ship)",
    "CompensationStarted",
    "TimerStarted",
    "TimerFired",
    "ActivityScheduled(refund)",
    "ActivityCompleted(refund)",
    "ActivityScheduled(release)",
    "ActivityCompleted(release)",
    "CompensationFinished",
    "WorkflowCancelled",
];

/// An order that ships.
async fn shipping(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(order).activities(Warehouse(ledger))).await?;
    bed.start(order, "o", ()).await?;
    bed.ledger().until_called("ship", 1).await?;
    Ok(bed)
}

/// What holds at the end, however often it was cancelled or killed on the way.
async fn check_undone(bed: &Bed) -> TestResult {
    let result = bed.handle(order, "o").result().await;
    // C4: cancelled, and neither failed nor completed.
    assert_eq!(result, Err(RunError::Cancelled { compensation: Compensation::Compensated }));
    assert_eq!(bed.client().handle("o").describe().await?.status, RunStatus::Cancelled);
    let events = bed.check_closed(order, "o").await?;
    // C1; DESIGN F11 adds the request to `ship`, F8 the markers.
    assert_eq!(story(&events), CANCELLED);
    // C2: the sleep is not cut short. That nothing in the undos is cancelled, their bodies have asserted.
    let at = |line: &str| story(&events).iter().position(|has| has == line).map(|index| events[index].at);
    let (Some(began), Some(ended)) = (at("TimerStarted"), at("TimerFired")) else {
        panic!("there is no timer")
    };
    assert!(ended.since(began) >= secs(1));
    // C3.
    assert_eq!(bed.ledger().happened(), ["reserve", "charge", "ship", "refund", "release"]);
    assert_eq!(bed.ledger().balance(), 0);
    Ok(())
}

async fn case_04_a_cancelled_saga_is_undone_in_a_scope_that_is_not_cancelled(kind: StoreKind) -> TestResult {
    let bed = shipping(kind).await?;
    bed.client().handle("o").cancel().reason("the customer left").await?;
    assert_eq!(bed.skip_timer("o").await?, secs(1));
    check_undone(&bed).await?;
    let calls = |operation| bed.ledger().calls_of(operation).len();
    assert_eq!([calls("refund"), calls("release")], [1, 1]);
    Ok(())
}

async fn case_04_a_second_cancel_while_undos_run_changes_nothing(kind: StoreKind) -> TestResult {
    let bed = shipping(kind).await?;
    let run = bed.client().handle("o");
    run.cancel().reason("the customer left").await?;
    bed.gate().until_event("TimerStarted").await?;
    run.cancel().reason("really").request_id("again").await?;
    bed.skip_timer("o").await?;
    check_undone(&bed).await
}

async fn case_04_an_engine_that_dies_while_the_undo_sleeps_does_not_cut_the_sleep_short(
    kind: StoreKind,
) -> TestResult {
    let mut bed = shipping(kind).await?;
    bed.gate().cut_after(|commit| commit.has("TimerStarted"));
    bed.client().handle("o").cancel().reason("the customer left").await?;
    bed.gate().until_cut().await?;
    bed.kill_and_restart().await?;
    assert_eq!(bed.skip_timer("o").await?, secs(1));
    check_undone(&bed).await
}

async fn case_04_a_cancel_is_kept_by_a_kill_before_the_step_has_ended(kind: StoreKind) -> TestResult {
    let mut bed = shipping(kind).await?;
    bed.gate().cut_before(|commit| commit.has("ActivityCancelled(ship)"));
    bed.client().handle("o").cancel().reason("the customer left").await?;
    bed.gate().until_cut().await?;
    bed.kill_and_restart().await?;
    bed.skip_timer("o").await?;
    check_undone(&bed).await
}

/// Every commit from the cancel on, before and after.
async fn case_04_a_kill_at_any_commit_after_the_cancel_leaves_the_same_history(
    kind: StoreKind,
) -> TestResult {
    let lines = CANCELLED.iter().skip(6).filter(|line| {
        // The first line of each commit.
        ["CancelRequested", "ActivityCancelled", "TimerFired", "ActivityCompleted"]
            .iter()
            .any(|input| line.starts_with(input))
    });
    for line in lines {
        for is_after in [false, true] {
            let mut bed = shipping(kind).await?;
            let when = move |commit: &steadfast_tests::kit::Commit| commit.has(line);
            if is_after {
                bed.gate().cut_after(when)
            } else {
                bed.gate().cut_before(when)
            }
            let run = bed.client().handle("o");
            let cancel = run.cancel().reason("the customer left").request_id("cancel").into_future();
            tokio::select! {
                _ = cancel => {}
                cut = bed.gate().until_cut() => cut?,
            }
            bed.run_until_cut("o").await?;
            bed.kill_and_restart().await?;
            // The client, which may have had no answer, asks again.
            let again =
                bed.client().handle("o").cancel().reason("the customer left").request_id("cancel").await;
            let is_over = line.ends_with("(release)") && is_after;
            assert!(again.is_ok() || is_over, "{line} {is_after}: {again:?}");
            bed.run_on("o").await?;
            check_undone(&bed).await?;
        }
    }
    Ok(())
}

async fn case_04_a_cancel_while_a_failed_saga_unwinds_reaches_no_undo(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(order).activities(Warehouse(ledger))).await?;
    bed.ledger().script("ship", [Reply::Decline]);
    let run = bed.start(order, "o", ()).await?;
    bed.gate().until_event("TimerStarted").await?;
    run.cancel().reason("too late").await?;
    run.cancel().reason("much too late").await?;
    assert_eq!(bed.skip_timer("o").await?, secs(1));
    let Err(RunError::Failed { error, compensation }) = run.result().await else { panic!("it failed") };
    assert_eq!(error.downcast(), Some(ServiceError::Declined));
    assert_eq!(compensation, Compensation::Compensated);
    let events = bed.check_closed(order, "o").await?;
    assert_eq!(
        story_without_markers(&events)[6..],
        [
            "ActivityFailed(ship)",
            "TimerStarted",
            "CancelRequested",
            "TimerFired",
            "ActivityScheduled(refund)",
            "ActivityCompleted(refund)",
            "ActivityScheduled(release)",
            "ActivityCompleted(release)",
            "WorkflowFailed",
        ]
    );
    assert!(matches!(events[events.len() - 1].kind, EventKind::WorkflowFailed(_)));
    Ok(())
}

steadfast_tests::on_stores!(
    case_04_a_cancelled_saga_is_undone_in_a_scope_that_is_not_cancelled,
    case_04_a_second_cancel_while_undos_run_changes_nothing,
    case_04_an_engine_that_dies_while_the_undo_sleeps_does_not_cut_the_sleep_short,
    case_04_a_cancel_is_kept_by_a_kill_before_the_step_has_ended,
    case_04_a_kill_at_any_commit_after_the_cancel_leaves_the_same_history,
    case_04_a_cancel_while_a_failed_saga_unwinds_reaches_no_undo,
);
