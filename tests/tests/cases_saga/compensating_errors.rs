//! Errors that say that something has to be taken back.

use steadfast::prelude::*;
use steadfast::{RunError, Severity};
use steadfast_tests::kit::{Bed, Door, Reply, ServiceError, StoreKind, TestResult, story_without_markers};

use crate::unknown_outcome::{check_keys, failed, pay, paying, undone_after};

async fn attention(bed: &Bed) -> TestResult<Vec<String>> {
    Ok(bed.handle(pay, "p").describe().await?.attention)
}

async fn a_step_that_has_to_be_compensated_is_undone_after_one_attempt(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 3, [Reply::Unbooked]).await?;
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    assert_eq!(error.downcast(), Some(ServiceError::Unbooked));
    assert_eq!(bed.ledger().happened(), ["charge", "refund"]);
    assert!(bed.client().dead_letters(None, 10).await?.0.is_empty(), "it is not out of attempts");
    let reason = "`charge` (event 2) has to be compensated: ServiceError: charged, and not booked";
    assert_eq!(attention(&bed).await?, [reason]);
    check_keys(&bed);
    Ok(())
}

async fn its_alert_stands_after_a_cancel(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = paying(kind, 3, [Reply::Unbooked.after(&door)]).await?;
    bed.ledger().until_called("charge", 1).await?;
    bed.handle(pay, "p").cancel().await?;
    door.open();
    assert!(matches!(bed.handle(pay, "p").result().await, Err(RunError::Cancelled { .. })));
    let story = story_without_markers(&bed.check_closed(pay, "p").await?);
    assert_eq!(
        story[4..],
        [
            "ActivityCancelled(charge)",
            "ActivityScheduled(refund)",
            "ActivityCompleted(refund)",
            "WorkflowCancelled"
        ]
    );
    assert_eq!((bed.ledger().balance(), attention(&bed).await?.len()), (0, 1));
    Ok(())
}

async fn its_alert_survives_a_kill(kind: StoreKind) -> TestResult {
    let mut bed = paying(kind, 3, [Reply::Unbooked]).await?;
    bed.ledger().script("refund", [Reply::StallAfter(Door::new())]);
    bed.ledger().until_called("refund", 1).await?;
    assert_eq!(attention(&bed).await?.len(), 1);
    bed.kill_and_restart().await?;
    bed.run_on("p").await?;
    failed(&bed).await?;
    assert_eq!(attention(&bed).await?.len(), 1);
    Ok(())
}

#[activity(compensate = unhold)]
async fn hold(severity: u8) -> Result<(), AnyFailure> {
    let severity = if severity == 0 { Severity::Auto } else { Severity::Alert };
    Err(AnyFailure::compensate(severity, "half held"))
}

#[activity]
async fn unhold(step: UndoOf<hold>) -> Result<(), AnyFailure> {
    assert_eq!(step.output, None);
    Ok(())
}

#[workflow]
async fn held(ctx: WorkflowContext, severity: u8) -> Result<bool, WorkflowError> {
    let held = ctx.saga(async |saga| Ok(hold(saga, severity).await?)).await;
    Ok(held.is_ok())
}

async fn only_an_alert_asks_for_attention(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(held).activities(activities![hold, unhold])).await?;
    for severity in [0, 1] {
        let id = format!("h-{severity}");
        bed.start(held, &id, severity).await?;
        assert!(!bed.handle(held, &id).result().await?);
        let story = story_without_markers(&bed.check_closed(held, &id).await?);
        assert_eq!(
            story[2..],
            [
                "ActivityFailed(hold)",
                "ActivityScheduled(unhold)",
                "ActivityCompleted(unhold)",
                "WorkflowCompleted"
            ]
        );
        assert_eq!(bed.handle(held, &id).describe().await?.attention.len(), usize::from(severity));
    }
    Ok(())
}

steadfast_tests::on_stores!(
    a_step_that_has_to_be_compensated_is_undone_after_one_attempt,
    its_alert_stands_after_a_cancel,
    its_alert_survives_a_kill,
    only_an_alert_asks_for_attention,
);
