//! Case 8: an undo that keeps failing ends after its attempts, and the run says so; the other undos run.

use anyhow::ensure;
use steadfast::history::{Compensation, Event, EventKind, to_json};
use steadfast::prelude::*;
use steadfast::{RunError, RunStatus};
use steadfast_tests::kit::{Bed, Door, Reply, ServiceError, StoreKind, TestResult, story_without_markers};

use crate::undoing::{
    BROKE, attempts, bed, by_hand, content, next_attempt, shown, tour, u2_failed, u2_failed_after,
};

const ID: &str = "t";

/// What a saga does that fails at its last step and cannot undo its second one.
fn unwound(second: &str, closing: &str) -> Vec<String> {
    let lines = [
        "WorkflowStarted",
        "ActivityScheduled(s1)",
        "ActivityCompleted(s1)",
        "ActivityScheduled(s2)",
        "ActivityCompleted(s2)",
        "ActivityScheduled(s3)",
        "ActivityCompleted(s3)",
        "ActivityScheduled(s4)",
        "ActivityFailed(s4)",
        "ActivityScheduled(u3)",
        "ActivityCompleted(u3)",
        "ActivityScheduled(u2)",
        second,
        "ActivityScheduled(u1)",
        "ActivityCompleted(u1)",
        closing,
    ];
    lines.map(str::to_owned).to_vec()
}

/// The words in which an error and its causes are told.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// C3: the run failed with its first error and, apart from it, the list of what was not undone; nothing that shows it
/// says that it was compensated.
async fn check_failed(bed: &Bed, events: &[Event], failed: &Compensation) -> TestResult {
    let result = bed.handle(tour, ID).result().await;
    let Err(error) = result else { panic!("{result:?}") };
    ensure!(error.downcast() == Some(ServiceError::Declined), "{error:?}");
    ensure!(error.compensation() == Some(failed), "{error:?}");
    let Some(EventKind::WorkflowFailed(closing)) = events.last().map(|event| &event.kind) else {
        anyhow::bail!("{:?}", events.last())
    };
    ensure!(
        WorkflowError::from(closing.error.clone()).downcast() == Some(ServiceError::Declined),
        "{closing:?}"
    );
    ensure!(closing.compensation == *failed, "{closing:?}");
    let (run, listed, needs_attention) = shown(bed, ID).await?;
    ensure!((run.status, listed, needs_attention) == (RunStatus::Failed, RunStatus::Failed, true), "{run:?}");
    ensure!(run.compensation == *failed && run.attention.iter().any(|why| why.contains("u2")), "{run:?}");
    let told = told(&error);
    ensure!(!told.to_lowercase().contains("compensated"), "{told}");
    let shown = format!("{run:?} {error:?} {}", to_json(events)?).to_lowercase();
    ensure!(!shown.contains("compensated"), "{shown}");
    Ok(())
}

/// Attempts at 0, 1 and 3 seconds after the first, and none after that.
const TIMES: [(u32, Duration); 3] = [(1, secs(0)), (2, secs(1)), (3, secs(3))];

/// A tour whose `u2` is answered so in each attempt; `error` is the last one in words.
async fn fails(kind: StoreKind, reply: Reply, error: &str) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", vec![reply; 20]);
    bed.start(tour, ID, ()).await?;
    bed.run_on(ID).await?;
    // C1
    assert_eq!(attempts(&bed, "u2"), TIMES);
    bed.advance(minutes(10));
    let events = bed.check_closed(tour, ID).await?;
    assert_eq!(attempts(&bed, "u2"), TIMES);
    // C2
    assert_eq!(attempts(&bed, "u1").len(), 1);
    assert_eq!(story_without_markers(&events), unwound("ActivityFailed(u2)", "WorkflowFailed"));
    check_failed(&bed, &events, &u2_failed(error)).await
}

async fn case_08_an_undo_that_keeps_failing_ends_after_its_attempts(kind: StoreKind) -> TestResult {
    fails(kind, Reply::LoseRequest, BROKE).await?;
    fails(kind, Reply::LoseReply, BROKE).await?;
    // Nothing happened, says the service; that counts for a step, and makes an undo no better.
    fails(kind, Reply::Refuse, "ServiceError: busy").await?;
    Ok(())
}

async fn case_08_an_undo_that_panics_ends_in_the_same_way(kind: StoreKind) -> TestResult {
    fails(kind, Reply::Panic, "panic: the caller panics after effect Ok(4)").await
}

/// An undo that is told never has one attempt: the list says so.
async fn case_08_an_undo_that_fails_for_good_is_not_tried_again(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", [Reply::Decline]);
    bed.start(tour, ID, ()).await?;
    bed.run_on(ID).await?;
    bed.advance(minutes(10));
    assert_eq!(attempts(&bed, "u2"), TIMES[..1]);
    let events = bed.check_closed(tour, ID).await?;
    assert_eq!(story_without_markers(&events), unwound("ActivityFailed(u2)", "WorkflowFailed"));
    check_failed(&bed, &events, &u2_failed_after(1, "ServiceError: card declined")).await
}

/// Each attempt stalls until its time is over.
async fn case_08_an_undo_that_hangs_ends_after_its_attempts(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    let door = Door::new();
    bed.ledger().script("u2", vec![Reply::Ok.after(&door); 20]);
    bed.start(tour, ID, ()).await?;
    for attempt in 1..=3 {
        bed.ledger().until_called("u2", attempt).await?;
        bed.advance(secs(5));
        if attempt < 3 {
            next_attempt(&bed, ID, attempt).await?;
        }
    }
    bed.run_on(ID).await?;
    bed.advance(minutes(10));
    assert_eq!(attempts(&bed, "u2"), [(1, secs(0)), (2, secs(6)), (3, secs(13))]);
    let events = bed.check_closed(tour, ID).await?;
    assert_eq!(story_without_markers(&events), unwound("ActivityTimedOut(u2)", "WorkflowFailed"));
    check_failed(&bed, &events, &u2_failed("start-to-close timeout")).await
}

/// A kill in the middle gives the undo no more attempts and forgets none.
async fn case_08_a_kill_gives_an_undo_no_more_attempts(kind: StoreKind) -> TestResult {
    // While it waits for its second or third attempt, and while each attempt runs.
    for (attempt, runs) in [(1, false), (2, false), (1, true), (2, true), (3, true)] {
        let mut bed = bed(kind).await?;
        bed.ledger().script("s4", [Reply::Decline]);
        let stall = Reply::Ok.after(&Door::new());
        let replies = (1..=20).map(|n| if runs && n == attempt { stall.clone() } else { Reply::LoseRequest });
        bed.ledger().script("u2", replies);
        bed.start(tour, ID, ()).await?;
        for attempt in 1..attempt {
            next_attempt(&bed, ID, attempt).await?;
        }
        bed.ledger().until_called("u2", attempt).await?;
        if !runs {
            bed.until_described(ID, "it waits", |run| {
                run.activities.iter().any(|open| open.next_attempt_at.is_some_and(|at| at > run.started_at))
            })
            .await?;
        }
        bed.kill_and_restart().await?;
        bed.run_on(ID).await?;
        bed.advance(minutes(10));
        let tried: Vec<u32> = attempts(&bed, "u2").into_iter().map(|(attempt, _)| attempt).collect();
        assert_eq!(tried, [1, 2, 3], "killed at {attempt}, {runs}");
        let events = bed.check_closed(tour, ID).await?;
        assert_eq!(story_without_markers(&events), unwound("ActivityFailed(u2)", "WorkflowFailed"));
        let error = if runs && attempt == 3 { "the worker was lost" } else { BROKE };
        check_failed(&bed, &events, &u2_failed(error)).await?;
    }
    Ok(())
}

/// The last attempt succeeds: then, and only then, everything was undone.
async fn case_08_an_undo_that_succeeds_at_last_has_undone(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", [Reply::LoseRequest, Reply::LoseReply]);
    bed.start(tour, ID, ()).await?;
    bed.run_on(ID).await?;
    assert_eq!(attempts(&bed, "u2"), TIMES);
    let events = bed.check_closed(tour, ID).await?;
    assert_eq!(story_without_markers(&events), unwound("ActivityCompleted(u2)", "WorkflowFailed"));
    let error = bed.handle(tour, ID).result().await.err();
    assert_eq!(error.as_ref().and_then(RunError::compensation), Some(&Compensation::Compensated));
    let (run, _, needs_attention) = shown(&bed, ID).await?;
    assert_eq!((run.compensation, needs_attention), (Compensation::Compensated, false));
    assert_eq!(bed.ledger().balance(), 0);
    Ok(())
}

/// Two that fail are both listed, in the order in which they were tried.
async fn case_08_every_undo_that_failed_is_listed(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", vec![Reply::LoseRequest; 20]);
    bed.ledger().script("u1", vec![Reply::Refuse; 20]);
    bed.start(tour, ID, ()).await?;
    bed.run_on(ID).await?;
    let error = bed.handle(tour, ID).result().await.err();
    let Some(Compensation::Failed(failed)) = error.as_ref().and_then(RunError::compensation) else {
        anyhow::bail!("{error:?}")
    };
    let failed: Vec<_> =
        failed.iter().map(|undo| (undo.undo.as_str(), undo.attempts, undo.error.as_str())).collect();
    assert_eq!(
        failed,
        [
            ("u2", 3, "given up after 3 attempts: ServiceError: the connection broke"),
            ("u1", 3, "given up after 3 attempts: ServiceError: busy"),
        ]
    );
    bed.check_closed(tour, ID).await?;
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "u3"]);
    Ok(())
}

/// A run that was cancelled and could not undo everything has failed: it does not end as cancelled.
async fn case_08_a_cancelled_run_whose_undo_fails_has_failed(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Ok.after(&Door::new())]);
    bed.ledger().script("u2", vec![Reply::LoseRequest; 20]);
    let run = bed.start(tour, ID, ()).await?;
    bed.ledger().until_called("s4", 1).await?;
    run.cancel().await?;
    bed.advance(secs(10));
    bed.run_on(ID).await?;
    assert_eq!(attempts(&bed, "u2"), TIMES);
    let events = bed.check_closed(tour, ID).await?;
    let Err(RunError::Failed { error, compensation }) = run.result().await else {
        anyhow::bail!("not failed")
    };
    ensure!(matches!(error, WorkflowError::Cancelled), "{error:?}");
    assert_eq!(compensation, u2_failed(BROKE));
    assert_eq!(story_without_markers(&events).last().map(String::as_str), Some("WorkflowFailed"));
    let (run, listed, needs_attention) = shown(&bed, ID).await?;
    assert_eq!((run.status, listed, needs_attention), (RunStatus::Failed, RunStatus::Failed, true));
    Ok(())
}

/// The run time is over, and what it had done cannot all be undone.
async fn case_08_a_run_that_timed_out_tells_what_was_not_undone(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Ok.after(&Door::new())]);
    bed.ledger().script("u2", vec![Reply::LoseRequest; 20]);
    let client = bed.client();
    let run = client.start(tour, ()).id(ID).queue(steadfast_tests::kit::QUEUE).run_timeout(secs(30)).await?;
    bed.ledger().until_called("s4", 1).await?;
    bed.advance(secs(30));
    bed.until_described(ID, "it unwinds", |run| run.imposed.is_some()).await?;
    bed.advance(secs(10));
    bed.run_on(ID).await?;
    let result = run.result().await;
    let Err(RunError::TimedOut { compensation, .. }) = &result else { anyhow::bail!("{result:?}") };
    assert_eq!(*compensation, u2_failed(BROKE));
    assert_eq!(attempts(&bed, "u2"), TIMES);
    bed.check_closed(tour, ID).await?;
    let (run, _, needs_attention) = shown(&bed, ID).await?;
    assert_eq!((run.status, needs_attention), (RunStatus::TimedOut, true));
    Ok(())
}

/// The code is content: the run completes, and still says what was not undone.
async fn case_08_a_run_that_completes_tells_what_was_not_undone(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", vec![Reply::LoseRequest; 20]);
    let run = bed.start(content, ID, ()).await?;
    bed.run_on(ID).await?;
    let text = run.result().await?;
    assert_eq!(text, "card declined", "the first error is the one that the code sees");
    let events = bed.check_closed(content, ID).await?;
    assert_eq!(story_without_markers(&events), unwound("ActivityFailed(u2)", "WorkflowCompleted"));
    let (run, listed, needs_attention) = shown(&bed, ID).await?;
    assert_eq!((run.status, listed, needs_attention), (RunStatus::Completed, RunStatus::Completed, true));
    assert_eq!(run.compensation, u2_failed(BROKE));
    Ok(())
}

/// Code of the workflow's own that fails to undo has one attempt, and is listed like an activity.
async fn case_08_an_undo_of_the_workflows_own_that_fails_is_listed(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    let run = bed.start(by_hand, ID, ()).await?;
    let Err(RunError::Failed { error, compensation }) = run.result().await else {
        anyhow::bail!("not failed")
    };
    assert_eq!(error.downcast(), Some(ServiceError::Declined));
    let Compensation::Failed(failed) = &compensation else { anyhow::bail!("{compensation:?}") };
    ensure!(
        failed.len() == 1 && failed[0].step.is_none() && failed[0].error == "Error: nobody answers",
        "{failed:?}"
    );
    bed.check_closed(by_hand, ID).await?;
    assert_eq!(bed.ledger().happened(), ["s1", "u1"]);
    let (run, listed, needs_attention) = shown(&bed, ID).await?;
    assert_eq!((run.status, listed, needs_attention), (RunStatus::Failed, RunStatus::Failed, true));
    assert_eq!(run.compensation, compensation);
    Ok(())
}

/// While it is tried again the run is open and unwinding, and says so.
async fn case_08_between_attempts_the_run_is_shown_as_compensating(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", vec![Reply::LoseRequest; 20]);
    bed.start(tour, ID, ()).await?;
    for is_restarted in [false, true] {
        if is_restarted {
            bed.kill_and_restart().await?;
        }
        bed.until_described(ID, "u2 waits", |run| {
            run.activities.iter().any(|open| open.name == "u2" && open.next_attempt_at.is_some())
        })
        .await?;
        let (run, listed, needs_attention) = shown(&bed, ID).await?;
        assert_eq!((run.status, listed), (RunStatus::Compensating, RunStatus::Compensating));
        ensure!(run.compensation != Compensation::Compensated && !needs_attention, "{run:?}");
    }
    bed.run_on(ID).await?;
    let events = bed.check_closed(tour, ID).await?;
    check_failed(&bed, &events, &u2_failed(BROKE)).await
}

steadfast_tests::on_stores!(
    case_08_an_undo_that_keeps_failing_ends_after_its_attempts,
    case_08_an_undo_that_panics_ends_in_the_same_way,
    case_08_an_undo_that_fails_for_good_is_not_tried_again,
    case_08_an_undo_that_hangs_ends_after_its_attempts,
    case_08_a_kill_gives_an_undo_no_more_attempts,
    case_08_an_undo_that_succeeds_at_last_has_undone,
    case_08_every_undo_that_failed_is_listed,
    case_08_a_cancelled_run_whose_undo_fails_has_failed,
    case_08_a_run_that_timed_out_tells_what_was_not_undone,
    case_08_a_run_that_completes_tells_what_was_not_undone,
    case_08_an_undo_of_the_workflows_own_that_fails_is_listed,
    case_08_between_attempts_the_run_is_shown_as_compensating,
);
