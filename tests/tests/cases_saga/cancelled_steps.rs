//! Case 4, the neighbours: what a cancel does to the steps of a saga, and what their outcome does to the undos.

use steadfast::history::{CancelCause, Compensation};
use steadfast::{RunError, RunStatus};
use steadfast_tests::kit::{Bed, Door, QUEUE, Reply, StoreKind, TestResult, story_without_markers};

use crate::shop::{self, tour};

const STARTED: [&str; 4] =
    ["WorkflowStarted", "ActivityScheduled(s1)", "ActivityCompleted(s1)", "ActivityScheduled(s2)"];

async fn cancelled(bed: &Bed) -> TestResult<Vec<String>> {
    let result = bed.handle(tour, "t").result().await;
    assert_eq!(result, Err(RunError::Cancelled { compensation: Compensation::Compensated }));
    assert_eq!(bed.ledger().balance(), 0);
    let story = story_without_markers(&bed.check_closed(tour, "t").await?);
    assert_eq!(story[..4], STARTED);
    Ok(story[4..].to_vec())
}

async fn case_04_a_body_that_ignores_the_cancel_is_dropped_after_its_grace_and_undone(
    kind: StoreKind,
) -> TestResult {
    let bed = shop::bed(kind).await?;
    bed.ledger().script("s2", [Reply::StallAfter(Door::new())]);
    let run = bed.start(tour, "t", ()).await?;
    bed.ledger().until_effect("s2", 1).await?;
    run.cancel().await?;
    bed.advance(steadfast::secs(10));
    assert_eq!(
        cancelled(&bed).await?,
        [
            "CancelRequested",
            "ActivityCancelRequested(s2)",
            "ActivityCancelled(s2)",
            "ActivityScheduled(u2)",
            "ActivityCompleted(u2)",
            "ActivityScheduled(u1)",
            "ActivityCompleted(u1)",
            "WorkflowCancelled",
        ]
    );
    Ok(())
}

async fn case_04_a_step_that_waits_for_its_next_attempt_ends_at_once_and_is_undone(
    kind: StoreKind,
) -> TestResult {
    let bed = shop::bed(kind).await?;
    bed.ledger().script("s2", [Reply::LoseReply]);
    let run = bed.start(tour, "t", ()).await?;
    bed.until_described("t", "s2 waits", |run| {
        run.activities.iter().any(|open| open.next_attempt_at.is_some())
    })
    .await?;
    run.cancel().await?;
    assert_eq!(
        cancelled(&bed).await?[1..4],
        ["ActivityCancelRequested(s2)", "ActivityCancelled(s2)", "ActivityScheduled(u2)"]
    );
    assert_eq!(bed.ledger().calls_of("s2").len(), 1);
    Ok(())
}

async fn case_04_a_step_that_completes_in_spite_of_the_cancel_is_undone_when_the_body_gives_up(
    kind: StoreKind,
) -> TestResult {
    let bed = shop::bed(kind).await?;
    let door = Door::new();
    bed.ledger().script("s2", [Reply::StallAfter(door.clone())]);
    let run = bed.start(tour, "t", ()).await?;
    bed.ledger().until_effect("s2", 1).await?;
    run.cancel().await?;
    door.open();
    // The call of `s3` in the cancelled scope is refused at once and records nothing.
    assert_eq!(
        cancelled(&bed).await?,
        [
            "CancelRequested",
            "ActivityCancelRequested(s2)",
            "ActivityCompleted(s2)",
            "ActivityScheduled(u2)",
            "ActivityCompleted(u2)",
            "ActivityScheduled(u1)",
            "ActivityCompleted(u1)",
            "WorkflowCancelled",
        ]
    );
    Ok(())
}

async fn case_04_a_body_that_returns_ok_in_spite_of_the_cancel_commits_the_saga(
    kind: StoreKind,
) -> TestResult {
    let bed = shop::bed(kind).await?;
    let door = Door::new();
    bed.ledger().script("s4", [Reply::StallAfter(door.clone())]);
    let run = bed.start(tour, "t", ()).await?;
    bed.ledger().until_effect("s4", 1).await?;
    run.cancel().await?;
    door.open();
    run.result().await?;
    assert_eq!(run.describe().await?.status, RunStatus::Completed);
    let story = story_without_markers(&bed.check_closed(tour, "t").await?);
    assert_eq!(
        story[8..],
        ["CancelRequested", "ActivityCancelRequested(s4)", "ActivityCompleted(s4)", "WorkflowCompleted"]
    );
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "s4"]);
    Ok(())
}

/// An end that the engine imposes is no different: it lets the undos run, however long they take.
async fn case_04_a_run_timeout_does_not_cut_the_undos_short(kind: StoreKind) -> TestResult {
    let bed = shop::bed(kind).await?;
    let door = Door::new();
    bed.ledger().script("s2", [Reply::LoseReply]);
    bed.ledger().script("u2", [Reply::LoseReply, Reply::Ok.after(&door)]);
    let start = bed.client().start(tour, ()).id("t").queue(QUEUE);
    let run = start.run_timeout(steadfast::millis(500)).await?;
    bed.until_described("t", "s2 waits", |run| {
        run.activities.iter().any(|open| open.next_attempt_at.is_some())
    })
    .await?;
    bed.advance(steadfast::millis(500));
    bed.ledger().until_effect("u2", 1).await?;
    bed.skip_backoff("t", "u2").await?;
    bed.ledger().until_called("u2", 2).await?;
    bed.advance(steadfast::hours(1));
    door.open();
    let result = run.result().await;
    let expected =
        RunError::TimedOut { cause: CancelCause::RunTimeout, compensation: Compensation::Compensated };
    assert_eq!(result, Err(expected));
    assert_eq!(
        story_without_markers(&bed.check_closed(tour, "t").await?)[4..],
        [
            "CancelRequested",
            "ActivityCancelRequested(s2)",
            "ActivityCancelled(s2)",
            "ActivityScheduled(u2)",
            "ActivityCompleted(u2)",
            "ActivityScheduled(u1)",
            "ActivityCompleted(u1)",
            "WorkflowTimedOut",
        ]
    );
    assert_eq!(bed.ledger().balance(), 0);
    Ok(())
}

steadfast_tests::on_stores!(
    case_04_a_run_timeout_does_not_cut_the_undos_short,
    case_04_a_body_that_ignores_the_cancel_is_dropped_after_its_grace_and_undone,
    case_04_a_step_that_waits_for_its_next_attempt_ends_at_once_and_is_undone,
    case_04_a_step_that_completes_in_spite_of_the_cancel_is_undone_when_the_body_gives_up,
    case_04_a_body_that_returns_ok_in_spite_of_the_cancel_commits_the_saga,
);
