//! What these cases alone need: reading a history as the engine's loader does.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use steadfast::history::Event;
use steadfast::store::{RunHead, Store, load_history};
use steadfast::{ActivityOptions, RunDescription, Timestamp};
use steadfast_core::exec::{Definition, Executor};
use steadfast_core::{ShardId, WorkflowId};
use steadfast_tests::kit::{Bed, TestResult};

/// The store behind the engine of a bed.
pub(crate) fn store(bed: &Bed) -> TestResult<Arc<dyn Store>> {
    bed.gate().store().context("the store is closed")
}

/// The newest run of a workflow as the store has it.
pub(crate) fn head(store: &dyn Store, id: &str) -> TestResult<(ShardId, RunHead)> {
    let workflow = WorkflowId::new(id)?;
    let shard = workflow.shard(store.shard_count());
    let row = store.current(shard, &workflow)?.context("the workflow was never started")?;
    Ok((shard, store.head(shard, row.run_id)?.context("the run has no head")?))
}

/// Loads the history of a run as the engine does, and checks that it is exactly what the head says: that many events,
/// ids ascending by 1.
pub(crate) fn loaded(store: &dyn Store, id: &str) -> TestResult<Vec<Event>> {
    let (shard, head) = head(store, id)?;
    let events = load_history(store, shard, &head)?;
    ensure!(events.len() as u64 == head.last_event.0, "{} of {} events", events.len(), head.last_event);
    for (event, id) in events.iter().zip(1..) {
        ensure!(event.id.0 == id, "event {} stands in place {id}", event.id);
    }
    Ok(events)
}

/// Replays a history once, from its beginning to its end. For histories that are too long to replay every beginning
/// of.
pub(crate) fn replay_once(definition: Arc<dyn Definition>, events: &[Event]) -> TestResult {
    Executor::new(definition, ActivityOptions::default()).replay(events).context("replaying the history")
}

/// Waits until an activity waits for an attempt that lies in the future, and says when that is.
pub(crate) async fn until_it_waits(bed: &Bed, id: &str, activity: &str) -> TestResult<Timestamp> {
    let now = bed.now();
    let next = |run: &RunDescription| {
        let mut open = run.activities.iter().filter(|open| open.name == activity);
        open.find_map(|open| open.next_attempt_at.filter(|at| *at > now))
    };
    let what = format!("{activity} waits for its next attempt");
    bed.until_described(id, &what, |run| next(run).is_some()).await?;
    next(&bed.client().handle(id).describe().await?).context("it still waits")
}

/// The same, and moves the clock on to it. Gives the wait.
pub(crate) async fn next_attempt(bed: &Bed, id: &str, activity: &str) -> TestResult<Duration> {
    let at = until_it_waits(bed, id, activity).await?;
    let wait = at.since(bed.now());
    bed.advance_to(at);
    Ok(wait)
}

/// Prints a figure, for people; it is shown with `--nocapture`.
#[expect(clippy::print_stdout, reason = "figures are printed, and never asserted on as text")]
pub(crate) fn show(line: impl std::fmt::Display) {
    println!("{line}");
}
