//! What holds of every closed run.

use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use steadfast::history::{Event, EventKind, Role, WorkflowStarted, from_json, to_json};
use steadfast::store::Store;
use steadfast::{ActivityOptions, Engine};
use steadfast_core::EventId;
use steadfast_core::exec::{Definition, Executor};
use steadfast_core::machine::{RunMachine, RunState};

use super::eventually::eventually;
use super::ledger::Ledger;
use super::story::story;

/// Where a run was: everything that can be left of it.
pub(super) struct Site<'a> {
    pub(super) ledger: Ledger,
    /// All that are alive.
    pub(super) engines: Vec<&'a Engine>,
    pub(super) store: Arc<dyn Store>,
}

/// The names and numbers are those of the conventions of the cases.
pub(super) async fn check(
    site: &Site<'_>,
    definition: Arc<dyn Definition>,
    events: &[Event],
) -> anyhow::Result<()> {
    let Some(EventKind::WorkflowStarted(started)) = events.first().map(|event| &event.kind) else {
        bail!("the history does not begin with WorkflowStarted");
    };
    let calls = || site.ledger.calls().iter().filter(|call| call.run_id == started.run_id).count();
    let before = calls();
    well_formed(events).with_context(|| format!("{:#?}", story(events)))?;
    replays(&definition, events).with_context(|| format!("{:#?}", story(events)))?;
    ensure!(calls() == before, "the replay called the service");
    nothing_left(site, started, events.len() as u64).await
}

/// R1 and R2: ids run on from 1, times do not go back, one closing event stands last. What is
/// open then ended with the run, without an event.
fn well_formed(events: &[Event]) -> anyhow::Result<()> {
    let mut machine = RunMachine::new();
    for (index, event) in events.iter().enumerate() {
        ensure!(event.id.0 == index as u64 + 1, "event {} has number {}", event.id, index + 1);
        machine.apply(event)?;
    }
    let closing = events.iter().filter(|event| event.kind.role() == Role::Close).count();
    ensure!(closing == 1, "there are {closing} closing events");
    ensure!(machine.state() == RunState::Closed, "the closing event is not the last");
    let text = to_json(events)?;
    ensure!(from_json(&text)? == events, "the events are others after they were written as JSON");
    Ok(())
}

/// R3: the function as it is accepts the history, and each beginning of it that ends with a whole activation.
fn replays(definition: &Arc<dyn Definition>, events: &[Event]) -> anyhow::Result<()> {
    let ends = (1..=events.len()).filter(|end| {
        events.get(*end).is_none_or(|next| next.kind.role() == Role::Input) || *end == events.len()
    });
    for end in ends {
        let mut executor = Executor::new(Arc::clone(definition), ActivityOptions::default());
        executor.replay(&events[..end]).with_context(|| format!("replaying the first {end} events"))?;
    }
    Ok(())
}

/// R6: no slot, body, due key, item, task, message or earlier session is left.
async fn nothing_left(site: &Site<'_>, started: &WorkflowStarted, events: u64) -> anyhow::Result<()> {
    let (run, queue) = (started.run_id, &started.queue);
    // A body that lost its attempt may take a moment to end.
    let are_free = async || Ok(site.engines.iter().all(|engine| engine.slots_in_use() == 0));
    eventually("no slot is in use", are_free).await?;
    let store = &site.store;
    let shard = started.workflow_id.shard(store.shard_count());
    let head = store.head(shard, run)?.context("the run has no head")?;
    ensure!(!head.status.is_open(), "the head says {:?}", head.status);
    ensure!(head.last_event == EventId(events), "the head ends at event {}", head.last_event);
    ensure!(head.due.is_none() && !head.has_items, "the head still waits: {head:?}");
    let due = store.due(shard, None, steadfast::Timestamp::MAX, usize::MAX)?;
    ensure!(due.iter().all(|key| key.run != run), "due keys are left: {due:?}");
    ensure!(store.items(shard, run, None, usize::MAX)?.is_empty(), "open items are left");
    ensure!(store.mail(shard, run, 0, usize::MAX)?.is_empty(), "inputs are left in the mailbox");
    let tasks = store.tasks(queue, usize::MAX)?;
    ensure!(tasks.iter().all(|task| task.run != run), "tasks are left: {tasks:?}");
    let sessions = store.sessions()?;
    ensure!(sessions.len() == site.engines.len(), "there are other sessions: {sessions:?}");
    Ok(())
}
