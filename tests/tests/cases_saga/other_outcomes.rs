//! Case 5, the neighbours: every other way in which an outcome stays unknown, or is known.

use steadfast::prelude::*;
use steadfast::{AttemptError, CallError, RunError};
use steadfast_tests::kit::{Bed, Door, Reply, StoreKind, TestResult, story_without_markers};

use crate::unknown_outcome::{check_keys, failed, not_undone_after, pay, paying, undone_after};

fn last(error: &WorkflowError) -> &AttemptError {
    let WorkflowError::Activity { error, .. } = error else { panic!("{error:?}") };
    let CallError::Exhausted { last, .. } = &**error else { panic!("{error:?}") };
    last
}

async fn case_05_a_step_that_panicked_after_its_effect_is_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 1, [Reply::Panic]).await?;
    let (error, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    assert!(matches!(last(&error), AttemptError::Panic { .. }), "{error:?}");
    check_keys(&bed);
    Ok(())
}

async fn case_05_a_step_whose_worker_was_lost_is_undone(kind: StoreKind) -> TestResult {
    for has_effect in [true, false] {
        let stall = if has_effect { Reply::StallAfter(Door::new()) } else { Reply::Ok.after(&Door::new()) };
        let mut bed = paying(kind, 1, [stall]).await?;
        bed.ledger().until_called("charge", 1).await?;
        if has_effect {
            bed.ledger().until_effect("charge", 1).await?;
        }
        bed.kill_and_restart().await?;
        let (error, story) = failed(&bed).await?;
        assert_eq!(story, undone_after("ActivityFailed(charge)"));
        assert_eq!(*last(&error), AttemptError::WorkerLost);
        assert_eq!(bed.ledger().calls_of("charge").len(), 1);
        check_keys(&bed);
    }
    Ok(())
}

async fn case_05_a_cancelled_step_that_had_its_effect_is_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 1, [Reply::StallAfter(Door::new())]).await?;
    bed.ledger().until_effect("charge", 1).await?;
    let run = bed.handle(pay, "p");
    run.cancel().await?;
    // Before the grace of ten seconds its time is over: it was asked to end, so that is no timeout any more.
    bed.advance(secs(2));
    assert!(matches!(run.result().await, Err(RunError::Cancelled { .. })));
    let story = story_without_markers(&bed.check_closed(pay, "p").await?);
    assert_eq!(
        story[2..],
        [
            "CancelRequested",
            "ActivityCancelRequested(charge)",
            "ActivityCancelled(charge)",
            "ActivityScheduled(refund)",
            "ActivityCompleted(refund)",
            "WorkflowCancelled",
        ]
    );
    assert_eq!(bed.ledger().balance(), 0);
    check_keys(&bed);
    Ok(())
}

async fn case_05_a_call_that_arrives_after_its_undo_has_no_effect(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = paying(kind, 1, [Reply::Late(door.clone())]).await?;
    bed.ledger().until_called("charge", 1).await?;
    bed.advance(secs(2));
    let (_, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityTimedOut(charge)"));
    door.open();
    tokio::task::yield_now().await;
    assert_eq!(bed.ledger().happened(), ["refund"]);
    check_keys(&bed);
    Ok(())
}

async fn case_05_a_step_that_never_began_is_not_undone(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    // Nobody has the activity, so no attempt is ever granted.
    bed.serve(|worker, _| worker.workflow(pay)).await?;
    let run = bed.start(pay, "p", 1).await?;
    bed.until_described("p", "the charge waits", |run| {
        run.activities.first().is_some_and(|open| open.waits_for.is_some())
    })
    .await?;
    run.cancel().await?;
    assert!(matches!(run.result().await, Err(RunError::Cancelled { .. })));
    let story = story_without_markers(&bed.check_closed(pay, "p").await?);
    assert_eq!(
        story[2..],
        [
            "CancelRequested",
            "ActivityCancelRequested(charge)",
            "ActivityCancelled(charge)",
            "WorkflowCancelled"
        ]
    );
    Ok(())
}

async fn case_05_an_undo_whose_reply_is_lost_is_called_again_under_one_key(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 1, [Reply::LoseReply]).await?;
    bed.ledger().script("refund", [Reply::LoseReply, Reply::LoseRequest, Reply::Refuse]);
    bed.run_on("p").await?;
    let (_, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    let calls = bed.ledger().calls_of("refund");
    assert_eq!(calls.iter().map(|call| call.attempt).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(calls.iter().all(|call| call.key == calls[0].key));
    assert_eq!(bed.ledger().happened(), ["charge", "refund"]);
    check_keys(&bed);
    Ok(())
}

async fn case_05_lost_requests_are_undone_though_nothing_happened(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 2, [Reply::LoseRequest, Reply::Refuse]).await?;
    bed.run_on("p").await?;
    let (_, story) = failed(&bed).await?;
    assert_eq!(story, undone_after("ActivityFailed(charge)"));
    assert_eq!(bed.ledger().happened(), ["refund"]);
    Ok(())
}

async fn case_05_a_refusal_after_a_refusal_is_not_undone(kind: StoreKind) -> TestResult {
    let bed = paying(kind, 0, [Reply::Refuse, Reply::Decline]).await?;
    bed.run_on("p").await?;
    let (_, story) = failed(&bed).await?;
    assert_eq!(story, not_undone_after("ActivityFailed(charge)"));
    assert!(bed.ledger().happened().is_empty());
    Ok(())
}

steadfast_tests::on_stores!(
    case_05_a_step_that_panicked_after_its_effect_is_undone,
    case_05_a_step_whose_worker_was_lost_is_undone,
    case_05_a_cancelled_step_that_had_its_effect_is_undone,
    case_05_a_call_that_arrives_after_its_undo_has_no_effect,
    case_05_a_step_that_never_began_is_not_undone,
    case_05_an_undo_whose_reply_is_lost_is_called_again_under_one_key,
    case_05_lost_requests_are_undone_though_nothing_happened,
    case_05_a_refusal_after_a_refusal_is_not_undone,
);
