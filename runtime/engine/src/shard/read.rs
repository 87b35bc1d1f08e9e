//! Histories and results.

use steadfast_core::history::Event;
use steadfast_core::{EventId, RunId, WorkflowId, decode_events};
use steadfast_store::{LoadError, StoreError, StoreErrorKind, load_history};

use super::load::Opened;
use super::machine::Shard;
use super::run::LiveRun;
use crate::client::{RunOutcome, RunSelector, closed_status};
use crate::error::{ReadError, Unavailable, chain};
use crate::message::{Answer, Effect, Reply};

/// How many records are read at a time.
const PAGE: usize = 256;

/// A client that waits for the end of a run.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) workflow: WorkflowId,
    pub(super) reply: Reply<RunOutcome, ReadError>,
}

type Answered<T> = Result<Result<(T, u64), ReadError>, StoreError>;

impl Shard {
    /// Everything of a history that is durable.
    pub(super) fn history(&mut self, selector: &RunSelector, reply: Reply<Vec<Event>, ReadError>) {
        let events = self.find(selector).and_then(|found| match found {
            Ok(run) => {
                let events = self.durable_events(&run);
                self.put_back(run);
                events
            }
            Err(error) => Ok(Err(error)),
        });
        self.answer_read(events, reply);
    }

    /// The outcome of a run, once it is closed and that is durable.
    pub(super) fn result(&mut self, selector: &RunSelector, reply: Reply<RunOutcome, ReadError>) {
        match self.find(selector) {
            Ok(Ok(run)) if run.is_closed() => {
                let outcome = self.outcome(&run);
                self.put_back(run);
                self.answer_read(outcome, reply);
            }
            Ok(Ok(run)) => {
                let waiters = self.waiters.entry(run.id()).or_default();
                // Clients that gave up in the meantime are not kept for ever.
                waiters.retain(|waiter| !waiter.reply.is_canceled());
                waiters.push(Waiter { workflow: run.head.workflow_id.clone(), reply });
                self.put_back(run);
            }
            Ok(Err(error)) => drop(reply.send(Err(error))),
            Err(error) => self.answer_read(Err(error), reply),
        }
    }

    /// After memory was dropped: answers those whose run turned out to be closed, or was never stored.
    pub(super) fn check_waiters(&mut self) -> Result<(), StoreError> {
        let waited: Vec<RunId> = self.waiters.keys().copied().collect();
        for run in waited {
            let work = match self.open(run)? {
                Opened::Run(work) => work,
                Opened::Unreadable(_) => continue,
                Opened::Missing => {
                    for Waiter { workflow, reply } in self.waiters.remove(&run).unwrap_or_default() {
                        drop(reply.send(Err(ReadError::NotFound(workflow))));
                    }
                    continue;
                }
            };
            if work.run.is_closed()
                && let Ok((outcome, ticket)) = self.outcome(&work.run)?
            {
                for Waiter { reply, .. } in self.waiters.remove(&run).unwrap_or_default() {
                    self.after(ticket, Effect::Answer(Answer::new(reply, Ok(outcome.clone()))));
                }
            }
            self.put_back(work.run);
        }
        Ok(())
    }

    fn find(&mut self, selector: &RunSelector) -> Result<Result<LiveRun, ReadError>, StoreError> {
        let missing = || Ok(Err(ReadError::NotFound(selector.workflow_id.clone())));
        let Some(run) = self.select(selector)? else { return missing() };
        match self.open(run)? {
            Opened::Run(work) if work.run.head.workflow_id == selector.workflow_id => Ok(Ok(work.run)),
            Opened::Run(work) => {
                self.put_back(work.run);
                missing()
            }
            Opened::Missing => missing(),
            Opened::Unreadable(reason) => Ok(Err(Unavailable::Unreadable(reason).into())),
        }
    }

    fn durable_events(&self, run: &LiveRun) -> Answered<Vec<Event>> {
        if run.in_flight == 0 {
            return match load_history(&*self.shared.store, self.id, &run.head) {
                Ok(events) => Ok(Ok((events, 0))),
                Err(LoadError::Store(error)) if error.kind() != StoreErrorKind::Corrupt => Err(error),
                Err(error) => Ok(Err(Unavailable::Unreadable(chain(&error)).into())),
            };
        }
        // The head in memory is ahead of the store, which may show records that are not durable yet.
        let mut events = Vec::new();
        let mut from = EventId(1);
        while from <= run.durable {
            let records = self.shared.store.history(self.id, run.id(), from, PAGE)?;
            let Some(last) = records.last() else { break };
            from = last.last().next();
            for record in &records {
                match decode_events(&record.body) {
                    Ok(decoded) => events.extend(decoded.into_iter().filter(|e| e.id <= run.durable)),
                    Err(error) => return Ok(Err(Unavailable::Unreadable(error.to_string()).into())),
                }
            }
        }
        Ok(Ok((events, 0)))
    }

    fn outcome(&self, run: &LiveRun) -> Answered<RunOutcome> {
        if let Some(outcome) = &run.outcome {
            return Ok(Ok((RunOutcome::clone(outcome), run.last_ticket)));
        }
        let last = run.head.last_event;
        let records = self.shared.store.history(self.id, run.id(), last, 1)?;
        let closing = records
            .first()
            .and_then(|record| decode_events(&record.body).ok())
            .and_then(|events| events.into_iter().find(|event| event.id == last));
        let outcome = closing.and_then(|event| {
            let status = closed_status(&event.kind)?;
            let (closed_at, closing) = (event.at, event.kind);
            Some(RunOutcome { run_id: run.id(), status, closed_at, last_event: last, closing })
        });
        Ok(match outcome {
            Some(outcome) => Ok((outcome, run.last_ticket)),
            None => {
                let why = format!("the closing event {last} of run {} cannot be read", run.id());
                Err(Unavailable::Unreadable(why).into())
            }
        })
    }
}
