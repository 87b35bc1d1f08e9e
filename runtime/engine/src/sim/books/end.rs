//! The end: everything is closed, nothing is left over, and the store holds what the books hold.

use steadfast_core::history::EventKind;
use steadfast_core::machine::RunState;
use steadfast_core::{IdempotencyKey, QueueName, RunId, ShardId, Timestamp};
use steadfast_store::{
    Due, ListFilter, MemoryStore, Messages, Runs, Sessions, Tasks, Visibility, load_history,
};

use super::super::outside::Outside;
use super::book::Books;
use super::run::RunBook;

/// Workflow functions all of whose steps are in one saga that ends as the run ends.
const WHOLE_SAGAS: &str = "saga-";

impl Books {
    pub(in super::super) fn check_all(&self, store: &MemoryStore, outside: &Outside) -> Result<(), String> {
        for run in self.runs.values() {
            self.check_closed(run, store).and_then(|()| check_outside(run, outside)).map_err(|problem| {
                format!("run {} of `{}`: {problem}", super::super::digest::short(run.id), run.workflow)
            })?;
        }
        let failed = |error: steadfast_store::StoreError| error.to_string();
        for shard in (0..store.shard_count()).map(ShardId) {
            let due = store.due(shard, None, Timestamp::MAX, 10).map_err(failed)?;
            let inbox = store.inbox(shard, 10).map_err(failed)?;
            if !due.is_empty() || !inbox.is_empty() {
                return Err(format!("shard {shard} is left with due keys {due:?} and messages {inbox:?}"));
            }
        }
        if let Ok(queue) = QueueName::new("q") {
            let tasks = store.tasks(&queue, 10).map_err(failed)?;
            if !tasks.is_empty() {
                return Err(format!("tasks are left: {tasks:?}"));
            }
        }
        let listed = store.list(&ListFilter::default(), None, usize::MAX).map_err(failed)?;
        if listed.rows.len() != self.runs.len() || listed.rows.iter().any(|row| row.status.is_open()) {
            return Err(format!("{} runs are listed of {}, or are open", listed.rows.len(), self.runs.len()));
        }
        Ok(())
    }

    /// What the store holds of a run is what the books hold.
    pub(super) fn compare(&self, run: RunId, store: &MemoryStore) -> Result<(), String> {
        let Some(book) = self.runs.get(&run) else { return Ok(()) };
        let failed = |error: steadfast_store::StoreError| error.to_string();
        let head = store.head(book.shard, run).map_err(failed)?;
        let items = store.items(book.shard, run, None, usize::MAX).map_err(failed)?;
        let due = store.due(book.shard, None, Timestamp::MAX, usize::MAX).map_err(failed)?;
        let due: Vec<Timestamp> = due.iter().filter(|entry| entry.run == run).map(|entry| entry.at).collect();
        let is_same = head.as_ref() == Some(&book.head)
            && items.iter().map(|row| row.item).eq(book.rows.keys().copied())
            && due.iter().eq(&book.dues);
        if is_same { Ok(()) } else { Err(format!("a group given twice has changed run {run}")) }
    }

    fn check_closed(&self, run: &RunBook, store: &MemoryStore) -> Result<(), String> {
        if run.machine.state() != RunState::Closed {
            return Err(format!("it has not ended although nothing goes wrong any more: {}", run.describe()));
        }
        let head = store.head(run.shard, run.id).map_err(|error| error.to_string())?;
        let Some(head) = head else { return Err("it is lost".to_owned()) };
        let events = load_history(store, run.shard, &head).map_err(|error| error.to_string())?;
        if events != run.events {
            return Err("its stored history is not the one that was committed".to_owned());
        }
        let items = store.items(run.shard, run.id, None, 10).map_err(|error| error.to_string())?;
        let mail = store.mail(run.shard, run.id, 0, 10).map_err(|error| error.to_string())?;
        if !items.is_empty() || !mail.is_empty() {
            return Err(format!("it is closed, and left are {items:?} and {mail:?}"));
        }
        if !self.current.contains_key(&run.workflow) || self.listed.get(&run.id) != Some(&false) {
            return Err("the lists do not say that it is closed".to_owned());
        }
        Ok(())
    }
}

/// What the outside world holds is what the history says.
fn check_outside(run: &RunBook, outside: &Outside) -> Result<(), String> {
    let stands = |key: &&IdempotencyKey| outside.stands(key);
    if let Some(key) = run.sagas.undone_keys().find(stands) {
        return Err(format!("{key} was undone, and its effect stands"));
    }
    if let Some(key) = run.sagas.done_keys().find(|key| !outside.stands(key)) {
        return Err(format!("{key} completed, and its effect does not stand"));
    }
    let is_whole = run.head.workflow_type.as_str().starts_with(WHOLE_SAGAS);
    let last = run.events.last().map(|event| &event.kind);
    let has_failed = matches!(
        last,
        Some(EventKind::WorkflowFailed(_) | EventKind::WorkflowCancelled(_) | EventKind::WorkflowTimedOut(_))
    );
    match run.sagas.standing().next() {
        Some(step) if is_whole && has_failed => {
            Err(format!("the saga failed, and step {step} was not undone"))
        }
        Some(_) | None => Ok(()),
    }
}
