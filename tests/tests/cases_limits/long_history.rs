//! Case 11: a long history is loaded whole and in order, however often and wherever the engine is killed.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::ensure;
use steadfast::RunStatus;
use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, Ledger, ServiceError, StoreKind, TestResult, story};

use crate::support::{loaded, store};

const ACTIVITIES: u64 = 1_000;
const SUM: u64 = 499_500;
/// Around the page sizes and byte borders at which peers lost or mixed up records.
const STOPS: [u64; 12] = [99, 100, 101, 199, 200, 201, 255, 256, 257, 999, 1_000, 1_001];

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn value(&self, ctx: ActivityContext, index: u64) -> Result<u64, ServiceError> {
        self.0.act(&ctx, &format!("value {index}"), i64::try_from(index).unwrap_or(i64::MAX)).await?;
        Ok(index)
    }
}

/// Adds up what the activities return; `before` events of another kind shift all of theirs.
#[workflow]
async fn sum(ctx: WorkflowContext, before: u64, activities: u64) -> Result<u64, WorkflowError> {
    for index in 0..before {
        ctx.side_effect(|| index);
    }
    let mut sum = 0;
    for index in 0..activities {
        sum += desk::value(&ctx, index).await?;
    }
    Ok(sum)
}

/// The lengths that the history has after a commit and at which it first reaches one of the stops: each commit brings
/// a completion and the next activity.
fn reached(before: u64) -> BTreeSet<u64> {
    STOPS.into_iter().map(|stop| stop + (stop + before) % 2).collect()
}

/// Kills the engine at each stop, and says how long the history was there.
async fn kill_on_the_way(bed: &mut Bed, before: u64) -> TestResult<BTreeSet<u64>> {
    let mut lengths = BTreeSet::new();
    for (number, stop) in reached(before).into_iter().enumerate() {
        bed.gate().cut_after(move |commit| commit.events.iter().any(|(_, event)| event.id.0 >= stop));
        if number == 0 {
            // The engine may be gone before it answers.
            drop(bed.start(sum, "s", (before, ACTIVITIES)).await);
        } else {
            bed.skip_backoff("s", "value").await?;
        }
        bed.gate().until_cut().await?;
        let gate = Arc::clone(bed.gate());
        bed.kill();
        let written = gate.commits().iter().flat_map(|commit| &commit.events).map(|(_, e)| e.id.0).max();
        bed.reopen().await?;
        let events = loaded(&*store(bed)?, "s")?;
        ensure!(Some(events.len() as u64) == written, "{} events, written were {written:?}", events.len());
        ensure!(bed.history("s").await? == events, "the client is shown another history");
        let run = bed.client().handle("s").describe().await?;
        ensure!((run.status, run.blocked) == (RunStatus::Running, None));
        lengths.insert(events.len() as u64);
    }
    bed.skip_backoff("s", "value").await?;
    Ok(lengths)
}

/// C1, and R1 to R6.
async fn check(bed: &Bed, before: u64) -> TestResult {
    assert_eq!(bed.handle(sum, "s").result().await?, SUM);
    let events = bed.check_closed(sum, "s").await?;
    assert_eq!(events.len() as u64, 2 + before + 2 * ACTIVITIES);
    let mut expected = vec!["WorkflowStarted".to_owned()];
    expected.extend((0..before).map(|_| "SideEffectRecorded".to_owned()));
    expected.extend(
        (0..ACTIVITIES)
            .flat_map(|_| ["ActivityScheduled(value)".to_owned(), "ActivityCompleted(value)".to_owned()]),
    );
    expected.push("WorkflowCompleted".to_owned());
    assert!(story(&events) == expected, "the events are not those of a straight run");
    let called: Vec<String> = bed.ledger().calls().into_iter().map(|call| call.operation).collect();
    let each_once: Vec<String> = (0..ACTIVITIES).map(|index| format!("value {index}")).collect();
    assert!(called == each_once, "each activity is called once, in order: {} calls", called.len());
    assert_eq!(bed.ledger().balance(), i64::try_from(SUM)?);
    Ok(())
}

async fn killed_at_every_stop(kind: StoreKind, before: u64) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(sum).activities(Desk(ledger))).await?;
    assert_eq!(kill_on_the_way(&mut bed, before).await?, reached(before));
    check(&bed, before).await
}

async fn case_11_a_history_of_an_even_length_is_loaded_whole_after_each_kill(kind: StoreKind) -> TestResult {
    killed_at_every_stop(kind, 0).await
}

async fn case_11_a_history_of_an_odd_length_is_loaded_whole_after_each_kill(kind: StoreKind) -> TestResult {
    killed_at_every_stop(kind, 1).await
}

#[test]
fn case_11_the_two_variants_meet_every_length() {
    let met: BTreeSet<u64> = reached(0).into_iter().chain(reached(1)).collect();
    assert!(STOPS.iter().all(|stop| met.contains(stop)), "{met:?}");
}

steadfast_tests::on_stores!(
    case_11_a_history_of_an_even_length_is_loaded_whole_after_each_kill,
    case_11_a_history_of_an_odd_length_is_loaded_whole_after_each_kill,
);
