//! Getting hold of a run, and of its executor.

use std::sync::Arc;

use steadfast_core::exec::Executor;
use steadfast_core::history::EventKind;
use steadfast_core::{EventId, RunId, WorkflowId, decode_events};
use steadfast_store::{CurrentRow, LoadError, RunHead, StoreError, StoreErrorKind, load_history};

use super::items::Facts;
use super::machine::Shard;
use super::run::LiveRun;
use super::work::Work;
use crate::client::RunSelector;
use crate::error::chain;
use crate::head::{BlockedState, HeadBody, ItemBody, MailBody};

/// How many rows are read at a time.
const PAGE: usize = 256;

/// What came of getting hold of a run.
#[derive(Debug)]
pub(super) enum Opened {
    Run(Box<Work>),
    Missing,
    /// It cannot be read; it was left as it is.
    Unreadable(String),
}

/// Keeps apart what concerns one run from what concerns the store.
enum Fault {
    Unreadable(String),
    Store(StoreError),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        if error.kind() == StoreErrorKind::Corrupt {
            Self::Unreadable(chain(&error))
        } else {
            Self::Store(error)
        }
    }
}

impl Shard {
    /// Takes a run out of memory, or reads it. It has to be submitted or put back.
    pub(super) fn open(&mut self, run: RunId) -> Result<Opened, StoreError> {
        if let Some(live) = self.cache.take(run) {
            return Ok(Opened::Run(Box::new(Work::new(live))));
        }
        if let Some(reason) = self.unreadable.get(&run) {
            return Ok(Opened::Unreadable(reason.clone()));
        }
        match self.load(run) {
            Ok(Some(live)) => Ok(Opened::Run(Box::new(Work::new(live)))),
            Ok(None) => Ok(Opened::Missing),
            Err(Fault::Store(error)) => Err(error),
            Err(Fault::Unreadable(reason)) => {
                tracing::error!(%run, %reason, "the run cannot be read; it is left as it is");
                self.unreadable.insert(run, reason.clone());
                Ok(Opened::Unreadable(reason))
            }
        }
    }

    /// The run that a client means.
    pub(super) fn select(&self, selector: &RunSelector) -> Result<Option<RunId>, StoreError> {
        match selector.run_id {
            Some(run) => Ok(Some(run)),
            None => Ok(self.current(&selector.workflow_id)?.map(|(_, row)| row.run_id)),
        }
    }

    /// The newest run of a workflow, and the ticket of the transition that made it so if that is in flight.
    pub(super) fn current(
        &self,
        workflow: &WorkflowId,
    ) -> Result<Option<(Option<u64>, CurrentRow)>, StoreError> {
        if let Some((ticket, row)) = self.ledger.current(workflow) {
            return Ok(Some((Some(*ticket), row.clone())));
        }
        Ok(self.shared.store.current(self.id, workflow)?.map(|row| (None, row)))
    }

    fn load(&self, run: RunId) -> Result<Option<LiveRun>, Fault> {
        let Some(head) = self.shared.store.head(self.id, run)? else { return Ok(None) };
        let unreadable = |what: &str, error: &dyn std::fmt::Display| {
            Fault::Unreadable(format!("{what} of run {run} cannot be read: {error}"))
        };
        let body = HeadBody::decode(&head.body).map_err(|error| unreadable("the head", &error))?;
        let mut live = LiveRun::new(head, body.fields);
        for item in body.items {
            live.restore_item(item, true);
        }
        if live.head.has_items {
            self.load_items(&mut live)?;
        }
        if live.head.mail_next > live.fields.mail_first {
            self.load_mail(&mut live)?;
        }
        live.listed = (live.head.status, live.needs_attention());
        live.retry = self.blocked.get(&run).copied().unwrap_or_default();
        Ok(Some(live))
    }

    fn load_items(&self, live: &mut LiveRun) -> Result<(), Fault> {
        let run = live.id();
        let mut after = None;
        loop {
            let rows = self.shared.store.items(self.id, run, after, PAGE)?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(last.item);
            for row in rows {
                let body: ItemBody = steadfast_core::codec::decode(&row.body).map_err(|error| {
                    Fault::Unreadable(format!("item {} of run {run} cannot be read: {error}", row.item))
                })?;
                live.restore_item(body, false);
            }
        }
    }

    fn load_mail(&self, live: &mut LiveRun) -> Result<(), Fault> {
        let run = live.id();
        let mut from = live.fields.mail_first;
        loop {
            let rows = self.shared.store.mail(self.id, run, from, PAGE)?;
            let Some(last) = rows.last() else { return Ok(()) };
            from = last.sequence + 1;
            for row in rows {
                let body = MailBody::decode(&row.body).map_err(|error| {
                    Fault::Unreadable(format!("mail {} of run {run} cannot be read: {error}", row.sequence))
                })?;
                live.mail.push_back((row.sequence, body));
            }
        }
    }

    /// Sees to it that the run's code stands where its history ends. The inner error is why it cannot.
    pub(super) fn ensure_executor(
        &mut self,
        run: &mut LiveRun,
    ) -> Result<Result<(), BlockedState>, StoreError> {
        if run.executor.is_some() {
            return Ok(Ok(()));
        }
        if let Some(state) = self.refusal(run) {
            return Ok(Err(state));
        }
        let since = self.now();
        let blocked = |reason: String, is_missing: bool| Ok(Err(BlockedState { reason, is_missing, since }));
        let (queue, workflow_type) = (&run.fields.queue, &run.head.workflow_type);
        let registry = self.shared.registry();
        let Some(found) = registry.find(queue, workflow_type, run.fields.version) else {
            return blocked(registry.missing(queue, workflow_type, run.fields.version), true);
        };
        drop(registry);
        let mut executor = Executor::new(found.definition, found.defaults);
        if run.is_admitted() {
            let events = match self.load_events(&run.head) {
                Ok(events) => events,
                Err(LoadError::Store(error)) if error.kind() != StoreErrorKind::Corrupt => return Err(error),
                Err(error) => return blocked(chain(&error), false),
            };
            let (replayed, _) = self.run_watched(run.id(), || executor.replay(&events));
            if let Err(mismatch) = replayed {
                return blocked(mismatch.to_string(), false);
            }
        }
        run.executor = Some(executor);
        Ok(Ok(()))
    }

    fn load_events(&self, head: &RunHead) -> Result<Vec<steadfast_core::history::Event>, LoadError> {
        load_history(&*self.shared.store, self.id, head)
    }

    /// What a task needs to be run: from memory, else from its event. The inner error is why that cannot be read.
    pub(super) fn facts(
        &self,
        run: &LiveRun,
        item: EventId,
    ) -> Result<Result<Arc<Facts>, String>, StoreError> {
        if let Some(facts) = run.items.get(&item).and_then(|item| item.facts.clone()) {
            return Ok(Ok(facts));
        }
        let records = match self.shared.store.history(self.id, run.id(), item, 1) {
            Ok(records) => records,
            Err(error) if error.kind() == StoreErrorKind::Corrupt => return Ok(Err(chain(&error))),
            Err(error) => return Err(error),
        };
        let Some(record) = records.first() else { return Ok(Err(format!("event {item} is missing"))) };
        let events = match decode_events(&record.body) {
            Ok(events) => events,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let found = events.into_iter().find(|event| event.id == item).map(|event| event.kind);
        Ok(match found {
            Some(EventKind::ActivityScheduled(e)) => {
                Ok(Arc::new(Facts { input: e.input, idempotency_key: e.idempotency_key }))
            }
            _ => Err(format!("event {item} is no ActivityScheduled")),
        })
    }

    /// Puts a run back into memory that nothing was done to, or whose changes are on their way.
    pub(super) fn put_back(&mut self, run: LiveRun) {
        if run.fields.blocked.is_some() {
            self.blocked.insert(run.id(), run.retry);
        }
        self.wheel.set(run.id(), run.deadlines());
        self.cache.put(run);
    }
}
