//! Undos, and whole unwindings, that wait for approval.

use steadfast::history::Compensation;
use steadfast::prelude::*;
use steadfast::{EventId, HoldKind, RunError, Severity};
use steadfast_tests::kit::{Bed, StoreKind, TestResult, story_without_markers};

use crate::shop::{RESERVE, bed, refusal, transfer, wait};

async fn an_undo_that_is_an_operators_waits_for_approval(kind: StoreKind) -> TestResult {
    for (by_call, undo) in [(false, "call_back"), (true, "release")] {
        let bed = bed(kind).await?;
        bed.start(transfer, "o", by_call).await?;
        let holds = wait(&bed, 1).await?;
        assert_eq!((holds[0].target, &holds[0].kind), (RESERVE, &HoldKind::Approval { undo: undo.into() }));
        assert_eq!(
            bed.ledger().happened().last().map(String::as_str),
            Some("refund"),
            "the automatic ones ran"
        );
        bed.handle(transfer, "o").operator("ann").approve(RESERVE).await?;
        let result = bed.handle(transfer, "o").result().await;
        assert!(
            matches!(result, Err(RunError::Failed { compensation: Compensation::Compensated, .. })),
            "{result:?}"
        );
        bed.check_closed(transfer, "o").await?;
        assert_eq!(
            (bed.ledger().happened().last().map(String::as_str), bed.ledger().balance()),
            (Some(undo), 0)
        );
    }
    Ok(())
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
enum BankError {
    #[error("charged, unbooked")]
    #[failure(compensate, severity = "intervene")]
    Unbooked,
}

#[activity(compensate = release)]
async fn hold_room() -> Result<u64, AnyFailure> {
    Ok(7)
}

#[activity]
async fn release(step: UndoOf<hold_room>) -> Result<(), AnyFailure> {
    assert_eq!(step.output, Some(7));
    Ok(())
}

#[activity(compensate = unbook)]
async fn book() -> Result<u64, BankError> {
    Err(BankError::Unbooked)
}

#[activity]
async fn unbook(step: UndoOf<book>) -> Result<(), AnyFailure> {
    assert_eq!(step.output, None);
    Ok(())
}

#[workflow]
async fn stay(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        hold_room(saga).await?;
        book(saga).await?;
        Ok(())
    })
    .await
}

async fn nothing_is_undone_before_approval_where_an_error_asks_for_it(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(stay).activities(activities![hold_room, release, book, unbook]))
        .await?;
    bed.start(stay, "o", ()).await?;
    let holds = wait(&bed, 1).await?;
    assert_eq!((holds[0].target, &holds[0].kind), (EventId(6), &HoldKind::Intervention { step: EventId(4) }));
    bed.kill_and_restart().await?;
    assert_eq!(wait(&bed, 1).await?, holds);
    let run = bed.handle(stay, "o");
    let refused = refusal(run.operator("ann").skip(EventId(6), "no").await);
    assert!(refused.starts_with("`skip` does not fit: the unwinding that began with event 6"), "{refused}");
    run.operator("ann").approve(EventId(6)).await?;
    let result = run.result().await;
    let Err(RunError::Failed { error, compensation: Compensation::Compensated }) = result else {
        panic!("{result:?}")
    };
    assert!(matches!(error.downcast(), Some(BankError::Unbooked)));
    let story = story_without_markers(&bed.check_closed(stay, "o").await?);
    assert_eq!(
        story[4..],
        [
            "ActivityFailed(book)",
            "OperatorDecided(?)",
            "ActivityScheduled(unbook)",
            "ActivityCompleted(unbook)",
            "ActivityScheduled(release)",
            "ActivityCompleted(release)",
            "WorkflowFailed",
        ]
    );
    assert_eq!(run.describe().await?.attention.len(), 1, "what people had to know of stays");
    assert_eq!(AnyFailure::compensate(Severity::Intervene, "x").to_string(), "x");
    Ok(())
}

steadfast_tests::on_stores!(
    an_undo_that_is_an_operators_waits_for_approval,
    nothing_is_undone_before_approval_where_an_error_asks_for_it,
);
