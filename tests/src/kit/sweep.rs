//! Killing an engine at every commit of a run.

use std::collections::BTreeMap;

use anyhow::ensure;
use steadfast::{Workflow, WorkflowFn};

use super::bed::Bed;
use super::case::TestResult;
use super::gate::Commit;
use super::story::story;

const ID: &str = "swept";

/// What came of a run.
#[derive(Debug, PartialEq, Eq)]
struct End {
    story: Vec<String>,
    happened: Vec<String>,
    balance: i64,
}

/// Runs a workflow without a kill; then, for each commit of that run, on a bed of its own, with an engine that dies
/// before it, and with one that dies after it. Gives the number of commits.
///
/// A run must go one way only: what runs at the same time may come in another order after a kill.
///
/// # Errors
///
/// If a run that was killed does not end like the one that was not: another history, other effects or another order of
/// them, a call under another key, or more than one call of a key beyond those of the run that was not killed.
pub async fn kill_at_every_commit<M, F: WorkflowFn<M> + Copy>(
    make: impl AsyncFn() -> TestResult<Bed>,
    workflow: F,
    input: impl Fn() -> <F::Workflow as Workflow>::Input,
) -> TestResult<usize> {
    let undisturbed = make().await?;
    undisturbed.start(workflow, ID, input()).await?;
    let expected = end(&undisturbed, workflow).await?;
    let commits = undisturbed.gate().commits().len();
    let calls = calls(&undisturbed);
    for nth in 1..=commits {
        for is_after in [false, true] {
            let place = if is_after { "after" } else { "before" };
            let bed = make().await?;
            let bed = killed(bed, workflow, &input, nth, is_after).await?;
            let ended = end(&bed, workflow).await?;
            ensure!(
                ended == expected,
                "killed {place} commit {nth} of {commits} it ended as {ended:#?}, without a kill as {expected:#?}"
            );
            check_calls(&bed, &calls, place, nth)?;
        }
    }
    Ok(commits)
}

/// A run whose engine was killed and has an heir.
async fn killed<M, F: WorkflowFn<M> + Copy>(
    mut bed: Bed,
    workflow: F,
    input: impl Fn() -> <F::Workflow as Workflow>::Input,
    nth: usize,
    is_after: bool,
) -> TestResult<Bed> {
    let when = move |commit: &Commit| commit.nth == nth;
    if is_after {
        bed.gate().cut_after(when);
    } else {
        bed.gate().cut_before(when);
    }
    let started = bed.start(workflow, ID, input()).await;
    ensure!(started.is_ok() || nth == 1, "a start was refused that was durable");
    bed.run_until_cut(ID).await?;
    bed.kill_and_restart().await?;
    bed.start(workflow, ID, input()).await?;
    Ok(bed)
}

async fn end<M, F: WorkflowFn<M>>(bed: &Bed, workflow: F) -> TestResult<End> {
    bed.run_on(ID).await?;
    let story = story(&bed.check_closed(workflow, ID).await?);
    Ok(End { story, happened: bed.ledger().happened(), balance: bed.ledger().balance() })
}

/// How often each operation was called under each of its keys, without the run's id in the key.
fn calls(bed: &Bed) -> BTreeMap<(String, String), usize> {
    let mut calls = BTreeMap::new();
    for call in bed.ledger().calls() {
        let key = call.key.replace(&call.run_id.to_string(), "run");
        *calls.entry((call.operation, key)).or_default() += 1;
    }
    calls
}

fn check_calls(
    bed: &Bed,
    expected: &BTreeMap<(String, String), usize>,
    place: &str,
    nth: usize,
) -> TestResult {
    let found = calls(bed);
    ensure!(found.keys().eq(expected.keys()), "killed {place} commit {nth}: {found:#?}");
    let more: usize = found.values().sum::<usize>() - expected.values().sum::<usize>();
    ensure!(more <= 1, "killed {place} commit {nth} there were {more} calls more: {found:#?}");
    Ok(())
}
