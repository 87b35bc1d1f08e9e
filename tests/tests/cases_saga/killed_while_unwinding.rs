//! Case 7: a crash half way through compensation neither repeats nor forgets an undo.

use steadfast::RunError;
use steadfast::history::Compensation;
use steadfast_tests::kit::{
    Bed, Commit, Door, Reply, ServiceError, StoreKind, TestResult, assert_in_order, story_without_markers,
};

use crate::shop::{self, fork, tour};

const UNWOUND: [&str; 16] = [
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
    "ActivityCompleted(u2)",
    "ActivityScheduled(u1)",
    "ActivityCompleted(u1)",
    "WorkflowFailed",
];

#[derive(Clone, Copy)]
enum Cut {
    Before(&'static str),
    After(&'static str),
}

/// A tour that fails, with an engine that dies around the commit of an event.
async fn killed(kind: StoreKind, cut: Cut) -> TestResult<Bed> {
    let mut bed = shop::bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    match cut {
        Cut::Before(line) => bed.gate().cut_before(move |commit: &Commit| commit.has(line)),
        Cut::After(line) => bed.gate().cut_after(move |commit: &Commit| commit.has(line)),
    }
    bed.start(tour, "t", ()).await?;
    bed.gate().until_cut().await?;
    bed.kill_and_restart().await?;
    bed.run_on("t").await?;
    Ok(bed)
}

/// How often the undos were called.
async fn unwound(bed: &Bed) -> TestResult<[usize; 3]> {
    let result = bed.handle(tour, "t").result().await;
    let Err(RunError::Failed { error, compensation }) = result else { panic!("{result:?}") };
    assert_eq!((error.downcast(), compensation), (Some(ServiceError::Declined), Compensation::Compensated));
    // C1, and each activity is scheduled once.
    assert_eq!(story_without_markers(&bed.check_closed(tour, "t").await?), UNWOUND);
    // C2: each undo has one effect, and all its calls have one key.
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "u3", "u2", "u1"]);
    assert_eq!(bed.ledger().balance(), 0);
    let mut counts = [0; 3];
    for (count, undo) in counts.iter_mut().zip(["u3", "u2", "u1"]) {
        let calls = bed.ledger().calls_of(undo);
        assert!(calls.iter().all(|call| call.key == calls[0].key && call.undoes == calls[0].undoes));
        *count = calls.len();
    }
    // C3: forward steps are called before the kill only.
    let forward = bed.ledger().calls().into_iter().filter(|call| call.undoes.is_none());
    assert!(forward.into_iter().all(|call| call.life == 1));
    Ok(counts)
}

/// The result of `u3` and the scheduling of `u2` are one commit: this is the first one that reaches the moment.
async fn case_07_a_kill_after_the_first_undo_goes_on_with_the_second(kind: StoreKind) -> TestResult {
    let bed = killed(kind, Cut::After("ActivityCompleted(u3)")).await?;
    assert_eq!(unwound(&bed).await?, [1, 1, 1]);
    Ok(())
}

async fn case_07_a_kill_between_effect_and_result_of_an_undo_repeats_the_call_and_not_the_effect(
    kind: StoreKind,
) -> TestResult {
    let bed = killed(kind, Cut::Before("ActivityCompleted(u2)")).await?;
    assert_eq!(unwound(&bed).await?, [1, 2, 1]);
    let lives: Vec<u32> = bed.ledger().calls_of("u2").iter().map(|call| call.life).collect();
    assert_eq!(lives, [1, 2]);
    Ok(())
}

/// The result of the last undo and the closing event are one commit.
async fn case_07_after_the_last_undo_nothing_is_called_again(kind: StoreKind) -> TestResult {
    let bed = killed(kind, Cut::After("ActivityCompleted(u1)")).await?;
    assert_eq!(unwound(&bed).await?, [1, 1, 1]);
    assert!(bed.ledger().calls().iter().all(|call| call.life == 1), "there were no calls after the restart");
    Ok(())
}

async fn case_07_a_kill_before_the_result_of_the_last_undo_repeats_only_that_call(
    kind: StoreKind,
) -> TestResult {
    let bed = killed(kind, Cut::Before("ActivityCompleted(u1)")).await?;
    assert_eq!(unwound(&bed).await?, [1, 1, 2]);
    Ok(())
}

async fn case_07_a_kill_as_the_unwinding_begins_runs_every_undo_once(kind: StoreKind) -> TestResult {
    let bed = killed(kind, Cut::After("ActivityFailed(s4)")).await?;
    assert_eq!(unwound(&bed).await?, [1, 1, 1]);
    Ok(())
}

/// Shape d: branches a and b fork, b fails, the step after both never starts.
async fn case_07_a_fork_whose_join_never_started_recovers_and_closes(kind: StoreKind) -> TestResult {
    for cut in [Cut::Before("ActivityCompleted(u1)"), Cut::After("ActivityScheduled(u1)")] {
        let mut bed = shop::bed(kind).await?;
        let door = Door::new();
        bed.ledger().script("s4", [Reply::Decline.after(&door)]);
        match cut {
            Cut::Before(line) => bed.gate().cut_before(move |commit: &Commit| commit.has(line)),
            Cut::After(line) => bed.gate().cut_after(move |commit: &Commit| commit.has(line)),
        }
        bed.start(fork, "f", ()).await?;
        bed.gate().until_event("ActivityCompleted(s1)").await?;
        door.open();
        bed.gate().until_cut().await?;
        bed.kill_and_restart().await?;
        bed.run_on("f").await?;
        let story = story_without_markers(&bed.check_closed(fork, "f").await?);
        assert_eq!(
            story[1..],
            [
                "ActivityScheduled(s1)",
                "ActivityScheduled(s4)",
                "ActivityCompleted(s1)",
                "ActivityFailed(s4)",
                "ActivityScheduled(u1)",
                "ActivityCompleted(u1)",
                "WorkflowFailed",
            ]
        );
        assert_eq!(bed.ledger().happened(), ["s1", "u1"]);
        assert_eq!(bed.ledger().calls_of("s1").len() + bed.ledger().calls_of("s4").len(), 2);
    }
    Ok(())
}

/// The same while the other branch still runs: it is cancelled and awaited, then undone.
async fn case_07_a_branch_that_runs_when_the_other_fails_is_cancelled_and_undone(
    kind: StoreKind,
) -> TestResult {
    let mut bed = shop::bed(kind).await?;
    bed.ledger().script("s1", [Reply::StallAfter(Door::new())]);
    let door = Door::new();
    bed.ledger().script("s4", [Reply::Decline.after(&door)]);
    bed.gate().cut_before(|commit| commit.has("ActivityCompleted(u1)"));
    bed.start(fork, "f", ()).await?;
    bed.ledger().until_effect("s1", 1).await?;
    door.open();
    bed.gate().until_event("ActivityCancelRequested(s1)").await?;
    bed.advance(steadfast::secs(10));
    bed.gate().until_cut().await?;
    bed.kill_and_restart().await?;
    bed.run_on("f").await?;
    let story = story_without_markers(&bed.check_closed(fork, "f").await?);
    assert_in_order(
        &story,
        &[
            "ActivityFailed(s4)",
            "ActivityCancelRequested(s1)",
            "ActivityCancelled(s1)",
            "ActivityScheduled(u1)",
        ],
    );
    assert_eq!(bed.ledger().happened(), ["s1", "u1"]);
    assert_eq!(bed.ledger().calls_of("u1").len(), 2);
    Ok(())
}

steadfast_tests::on_stores!(
    case_07_a_kill_after_the_first_undo_goes_on_with_the_second,
    case_07_a_kill_between_effect_and_result_of_an_undo_repeats_the_call_and_not_the_effect,
    case_07_after_the_last_undo_nothing_is_called_again,
    case_07_a_kill_before_the_result_of_the_last_undo_repeats_only_that_call,
    case_07_a_kill_as_the_unwinding_begins_runs_every_undo_once,
    case_07_a_fork_whose_join_never_started_recovers_and_closes,
    case_07_a_branch_that_runs_when_the_other_fails_is_cancelled_and_undone,
);
