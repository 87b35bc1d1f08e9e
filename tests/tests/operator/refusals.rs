//! Decisions that are refused, or made twice.

use steadfast::history::{Compensation, EventKind};
use steadfast::{DecideError, EndError, EventId, RunError};
use steadfast_tests::kit::{StoreKind, TestResult};

use crate::shop::{CHARGE, RESERVE, ended, held, order, refusal};

async fn a_decision_that_fits_nothing_is_refused_and_recorded_nowhere(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    let before = bed.history("o").await?;
    let run = bed.handle(order, "o");
    let ann = run.operator("ann");
    let refused = [
        (
            ann.retry(RESERVE).await,
            "nothing waits for a decision on event 2 of workflow `o`; what waits: the undo `refund` of step 4 failed",
        ),
        (ann.retry(EventId(99)).await, "nothing waits for a decision on event 99 of workflow `o`"),
        (ann.approve(CHARGE).await, "`approve` does not fit: the undo `refund` of step 4 failed"),
        (run.operator("  ").retry(CHARGE).await, "say who decides, in 1 to 1000 bytes"),
        (run.operator("x".repeat(1_001)).retry(CHARGE).await, "say who decides, in 1 to 1000 bytes"),
        (
            ann.answer(CHARGE, &"x".repeat(2_097_153)).await,
            "answer for event 4 is 2097155 bytes, the limit is 2097152",
        ),
        (ann.retry(CHARGE).request_id("").await, "the request id is empty"),
        (
            bed.client().handle("nobody").operator("ann").retry(CHARGE).await,
            "there is no such run of workflow `nobody`; check its id",
        ),
    ];
    for (result, message) in refused {
        let error = refusal(result);
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(bed.history("o").await?, before);
    run.operator("ann").retry(CHARGE).await?;
    ended(&bed).await?;
    let late = run.operator("ann").retry(CHARGE).await;
    assert!(matches!(late, Err(DecideError::Run(EndError::Closed { .. }))), "{late:?}");
    Ok(())
}

async fn of_two_operators_one_decides(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    let run = bed.handle(order, "o");
    let (ann, bob) = (run.operator("ann"), run.operator("bob"));
    let (one, other) =
        tokio::join!(ann.skip(CHARGE, "no").into_future(), bob.answer(CHARGE, &()).into_future());
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1, "{one:?} {other:?}");
    let (compensation, events) = ended(&bed).await?;
    let decided = events.iter().filter(|event| matches!(event.kind, EventKind::OperatorDecided(_))).count();
    assert_eq!(decided, 1);
    assert_eq!(one.is_ok(), matches!(compensation, Compensation::Failed(_)));
    Ok(())
}

async fn a_repeated_request_is_one(kind: StoreKind) -> TestResult {
    let mut bed = held(kind).await?;
    let again = |bed: &steadfast_tests::kit::Bed| {
        bed.handle(order, "o").operator("ann").answer(CHARGE, &()).request_id("decision-1")
    };
    again(&bed).await?;
    again(&bed).await?;
    bed.kill_and_restart().await?;
    again(&bed).await?;
    ended(&bed).await?;
    again(&bed).await?;
    let other = refusal(bed.handle(order, "o").cancel().request_id("decision-1").await);
    assert!(other.starts_with("request id `decision-1` was used for another call"), "{other}");
    Ok(())
}

async fn a_cancel_waits_and_a_terminate_lists_what_was_not_undone(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    let run = bed.handle(order, "o");
    run.cancel().await?;
    let described = run.describe().await?;
    assert_eq!((described.holds.len(), described.status.is_open()), (1, true));
    run.terminate("enough").await?;
    let result = run.result().await;
    assert!(matches!(result, Err(RunError::Terminated { .. })), "{result:?}");
    let events = bed.check_closed(order, "o").await?;
    let Some(EventKind::WorkflowTerminated(end)) = events.last().map(|event| &event.kind) else { panic!() };
    assert_eq!(end.undos_not_run, [CHARGE]);
    assert!(run.describe().await?.needs_attention());
    Ok(())
}

steadfast_tests::on_stores!(
    a_decision_that_fits_nothing_is_refused_and_recorded_nowhere,
    of_two_operators_one_decides,
    a_repeated_request_is_one,
    a_cancel_waits_and_a_terminate_lists_what_was_not_undone,
);
