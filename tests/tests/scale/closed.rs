//! What holds of a closed run, for histories that are too long to replay every beginning of.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use steadfast::ActivityOptions;
use steadfast::history::{Event, Role};
use steadfast_core::WorkflowId;
use steadfast_core::exec::{Definition, Executor};
use steadfast_core::machine::{RunMachine, RunState};
use steadfast_tests::kit::{Bed, TestResult, eventually};

/// Ids run on from 1, one closing event stands last, the function as it is replays the whole, and nothing is left.
pub(crate) async fn check(bed: &Bed, definition: Arc<dyn Definition>, id: &str) -> TestResult<Vec<Event>> {
    let events = bed.history(id).await?;
    let calls = bed.ledger().calls().len();
    let mut machine = RunMachine::new();
    for (event, number) in events.iter().zip(1..) {
        ensure!(event.id.0 == number, "event {} stands in place {number}", event.id);
        machine.apply(event)?;
    }
    ensure!(events.iter().filter(|event| event.kind.role() == Role::Close).count() == 1);
    ensure!(machine.state() == RunState::Closed && machine.open_tasks() == 0);
    Executor::new(definition, ActivityOptions::default()).replay(&events).context("replaying")?;
    ensure!(bed.ledger().calls().len() == calls, "the replay called the service");
    eventually("no slot is in use", async || Ok(bed.engine().slots_in_use() == 0)).await?;
    let store = bed.gate().store().context("the store is closed")?;
    let workflow = WorkflowId::new(id)?;
    let shard = workflow.shard(store.shard_count());
    let run = store.current(shard, &workflow)?.context("it was started")?.run_id;
    let head = store.head(shard, run)?.context("the head")?;
    ensure!(!head.status.is_open() && head.due.is_none() && !head.has_items, "{head:?}");
    ensure!(store.items(shard, run, None, 10)?.is_empty(), "open items are left");
    ensure!(store.next_due(shard, None)?.is_none(), "a due key is left");
    Ok(events)
}

/// Prints a figure, for people; it is shown with `--nocapture`.
#[expect(clippy::print_stdout, reason = "figures are printed, and never asserted on as text")]
pub(crate) fn show(line: impl std::fmt::Display) {
    println!("{line}");
}
