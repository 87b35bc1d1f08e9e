//! Case 7, the neighbours: a saga that is killed at every commit of its run.

use std::collections::BTreeMap;

use steadfast_tests::kit::{Bed, Commit, Reply, StoreKind, TestResult, kill_at_every_commit, story};

use crate::shop::{self, tour};

/// How often a run may be killed before it counts as stuck.
const LIVES_MAX: u32 = 50;

/// What came of a run.
#[derive(Debug, PartialEq, Eq)]
struct End {
    story: Vec<String>,
    happened: Vec<String>,
    balance: i64,
}

/// A bed on which the tour fails or succeeds, however often its steps are called.
async fn bed(kind: StoreKind, fails: bool) -> TestResult<Bed> {
    let bed = shop::bed(kind).await?;
    if fails {
        bed.ledger().script("s4", std::iter::repeat_n(Reply::Decline, 10));
    }
    Ok(bed)
}

async fn end(bed: &Bed) -> TestResult<End> {
    bed.run_on("t").await?;
    let story = story(&bed.check_closed(tour, "t").await?);
    Ok(End { story, happened: bed.ledger().happened(), balance: bed.ledger().balance() })
}

/// Of each operation at most one call more than engines that died, and all calls under one key.
fn check_calls(bed: &Bed, kills: usize) {
    let mut calls = BTreeMap::<String, Vec<String>>::new();
    for call in bed.ledger().calls() {
        calls.entry(call.operation).or_default().push(call.key);
    }
    for (operation, keys) in calls {
        assert!(keys.len() <= 1 + kills, "{operation}: {keys:?}");
        assert!(keys.iter().all(|key| *key == keys[0]), "{operation}: {keys:?}");
    }
}

/// Kills each engine at its nth commit, so that the run needs many of them. To get on by one step, an engine needs
/// three: one notes that the attempt was lost, one grants the next, one has its result.
async fn killed_again_and_again(kind: StoreKind, nth: usize, is_after: bool) -> TestResult {
    let undisturbed = bed(kind, true).await?;
    undisturbed.start(tour, "t", ()).await?;
    let expected = end(&undisturbed).await?;
    let mut bed = bed(kind, true).await?;
    let mut lives = 1;
    loop {
        let when = move |commit: &Commit| commit.nth == nth;
        if is_after {
            bed.gate().cut_after(when)
        } else {
            bed.gate().cut_before(when)
        }
        let started = bed.start(tour, "t", ()).await;
        let is_closed = tokio::select! {
            ended = bed.run_on("t"), if started.is_ok() => ended.is_ok(),
            cut = bed.gate().until_cut() => cut.is_err(),
        };
        if is_closed && !bed.gate().life().is_over() {
            break;
        }
        bed.gate().until_cut().await?;
        bed.kill_and_restart().await?;
        lives += 1;
        assert!(lives < LIVES_MAX, "the run does not get on: {:#?}", story(&bed.history("t").await?));
    }
    assert_eq!(end(&bed).await?, expected);
    check_calls(&bed, lives as usize);
    assert!(lives > 3, "there were only {lives} engines");
    Ok(())
}

async fn case_07_a_failing_saga_killed_at_any_commit_ends_like_one_that_is_not(
    kind: StoreKind,
) -> TestResult {
    let commits = kill_at_every_commit(async || bed(kind, true).await, tour, || ()).await?;
    assert_eq!(commits, 8, "one for the start, one for each step, one for each undo");
    Ok(())
}

async fn case_07_a_saga_that_succeeds_killed_at_any_commit_ends_like_one_that_is_not(
    kind: StoreKind,
) -> TestResult {
    let commits = kill_at_every_commit(async || bed(kind, false).await, tour, || ()).await?;
    assert_eq!(commits, 5, "one for the start, one for each step");
    Ok(())
}

async fn case_07_a_saga_whose_engines_all_die_after_their_third_commit_ends_all_the_same(
    kind: StoreKind,
) -> TestResult {
    killed_again_and_again(kind, 3, true).await
}

async fn case_07_a_saga_whose_engines_all_die_before_their_fourth_commit_ends_all_the_same(
    kind: StoreKind,
) -> TestResult {
    killed_again_and_again(kind, 4, false).await
}

steadfast_tests::on_stores!(
    case_07_a_failing_saga_killed_at_any_commit_ends_like_one_that_is_not,
    case_07_a_saga_that_succeeds_killed_at_any_commit_ends_like_one_that_is_not,
    case_07_a_saga_whose_engines_all_die_after_their_third_commit_ends_all_the_same,
    case_07_a_saga_whose_engines_all_die_before_their_fourth_commit_ends_all_the_same,
);
