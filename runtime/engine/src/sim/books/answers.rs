//! What clients and bodies are told: nothing that is not stored.

use steadfast_core::history::{Event, EventKind};
use steadfast_core::{RequestId, RunId, WorkflowId};

use super::book::Books;
use super::run::RunBook;
use crate::client::{RunDescription, RunOutcome};

impl Books {
    fn told(&self, workflow: &WorkflowId, run: RunId) -> Result<&RunBook, String> {
        let found = self.runs.get(&run).filter(|run| run.workflow == *workflow);
        found.ok_or_else(|| format!("a client hears of run {run} of `{workflow}`, which is not stored"))
    }

    pub(in super::super) fn hear_started(
        &self,
        workflow: &WorkflowId,
        request: &RequestId,
        run: RunId,
    ) -> Result<(), String> {
        self.told(workflow, run)?;
        self.hear_request(workflow, request)
    }

    fn hear_request(&self, workflow: &WorkflowId, request: &RequestId) -> Result<(), String> {
        if self.requests.contains_key(&(workflow.clone(), request.clone())) {
            return Ok(());
        }
        Err(format!("request `{request}` of `{workflow}` is acknowledged and not stored"))
    }

    /// A cancel is acknowledged: it is in the history, or waits in the mailbox.
    pub(in super::super) fn hear_cancelled(
        &self,
        workflow: &WorkflowId,
        request: &RequestId,
        run: RunId,
    ) -> Result<(), String> {
        let book = self.told(workflow, run)?;
        self.hear_request(workflow, request)?;
        let is_recorded = book
            .events
            .iter()
            .any(|event| matches!(&event.kind, EventKind::CancelRequested(e) if !e.cause.is_imposed()));
        if is_recorded || !book.mail.is_empty() || !book.is_open() {
            return Ok(());
        }
        Err(format!("the cancel of `{workflow}` is acknowledged and not recorded"))
    }

    pub(in super::super) fn hear_terminated(
        &self,
        workflow: &WorkflowId,
        request: &RequestId,
        run: RunId,
    ) -> Result<(), String> {
        let book = self.told(workflow, run)?;
        self.hear_request(workflow, request)?;
        match book.events.last().map(|event| &event.kind) {
            Some(EventKind::WorkflowTerminated(_)) => Ok(()),
            last => Err(format!("the end of `{workflow}` is acknowledged, and its last event is {last:?}")),
        }
    }

    pub(in super::super) fn hear_outcome(
        &self,
        workflow: &WorkflowId,
        outcome: &RunOutcome,
    ) -> Result<(), String> {
        let book = self.told(workflow, outcome.run_id)?;
        match book.events.last() {
            Some(last)
                if last.kind == outcome.closing
                    && last.id == outcome.last_event
                    && last.at == outcome.closed_at
                    && book.head.status == outcome.status =>
            {
                Ok(())
            }
            last => Err(format!("`{workflow}` is said to have ended with {outcome:?}, stored is {last:?}")),
        }
    }

    /// A description shows nothing that is not stored.
    pub(in super::super) fn hear_description(&self, told: &RunDescription) -> Result<(), String> {
        let book = self.told(&told.workflow_id, told.run_id)?;
        if told.last_event.0 > book.events.len() as u64 {
            return Err(format!("`{}` is described with events that are not stored", told.workflow_id));
        }
        if !told.status.is_open() && book.is_open() {
            return Err(format!("`{}` is described as {:?}, and it is open", told.workflow_id, told.status));
        }
        for activity in &told.activities {
            let key = book.key(activity.scheduled, activity.attempt);
            if activity.attempt > 0 && !self.grants.contains_key(&key) {
                return Err(format!("`{}` is described with a grant that is not stored", told.workflow_id));
            }
        }
        Ok(())
    }

    /// A history that is read is a part of the stored one, from its beginning.
    pub(in super::super) fn hear_history(
        &self,
        workflow: &WorkflowId,
        run: RunId,
        told: &[Event],
    ) -> Result<(), String> {
        let book = self.told(workflow, run)?;
        if book.events.starts_with(told) {
            return Ok(());
        }
        Err(format!("the history of `{workflow}` that was read is not the one that is stored"))
    }

    pub(in super::super) fn hear_beat(&self, number: u64) -> Result<(), String> {
        if self.beats.contains(&number) {
            return Ok(());
        }
        Err(format!("heartbeat {number} is said to be written and is not stored"))
    }
}
