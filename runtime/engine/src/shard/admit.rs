//! Inputs: admitted one by one, or put into the mailbox while the run cannot be activated.

use std::time::Duration;

use steadfast_core::EventId;
use steadfast_core::history::{
    ActivityCancelled, AttemptSummary, CancelCause, CancelRequested, EventKind, WorkflowStarted,
};
use steadfast_store::{MailRow, StoreError, Write};

use super::machine::Shard;
use super::run::{LiveRun, Retry};
use super::work::{Queued, Work};
use crate::head::{BlockedState, MailBody, StartRecord};

/// The first and the longest pause before a blocked run is tried again.
const BLOCKED_FIRST: Duration = Duration::from_secs(1);
const BLOCKED_MAX: Duration = Duration::from_secs(60);

impl Shard {
    /// Admits what has arrived, and whatever that brings about, until nothing is left.
    pub(super) fn process(&mut self, work: &mut Work) -> Result<(), StoreError> {
        while let Some(queued) = work.inputs.pop_front() {
            if work.run.is_closed() {
                drop_row(work, &queued);
                continue;
            }
            if work.run.fields.blocked.is_some() || work.run.is_delayed(self.now()) {
                post(work, queued);
                continue;
            }
            match self.admit(work, &queued.body)? {
                Ok(()) => {
                    drop_row(work, &queued);
                    self.impose_limits(work);
                }
                Err(blocked) => {
                    self.block(work, blocked);
                    post(work, queued);
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, work: &mut Work, body: &MailBody) -> Result<Result<(), BlockedState>, StoreError> {
        match body {
            MailBody::Start(record) => self.admit_start(work, record),
            MailBody::Input(input) => match fitted(&mut work.run, EventKind::clone(input)) {
                Some(EventKind::OperatorDecided(decided)) => self.admit_decision(work, decided),
                Some(input) => self.activate(work, input),
                None => Ok(Ok(())),
            },
        }
    }

    /// The first event: pins what the code can observe of configuration.
    fn admit_start(
        &mut self,
        work: &mut Work,
        record: &StartRecord,
    ) -> Result<Result<(), BlockedState>, StoreError> {
        let (queue, workflow_type) = (&work.run.fields.queue, &work.run.head.workflow_type);
        let version = {
            let registry = self.shared.registry();
            match registry.find(queue, workflow_type, record.version) {
                Some(found) => found.definition.version(),
                None => {
                    let reason = registry.missing(queue, workflow_type, record.version);
                    return Ok(Err(BlockedState { reason, is_missing: true, since: self.now() }));
                }
            }
        };
        work.run.fields.version = Some(version);
        work.run.fields.limits = self.shared.config.limits;
        work.run.fields.starts_at = None;
        let started = self.started(&work.run, record, version);
        self.activate(work, started.into())
    }

    pub(super) fn started(&mut self, run: &LiveRun, record: &StartRecord, version: u32) -> WorkflowStarted {
        WorkflowStarted {
            workflow_type: run.head.workflow_type.clone(),
            version,
            workflow_id: run.head.workflow_id.clone(),
            run_id: run.id(),
            queue: run.fields.queue.clone(),
            input: record.input.clone(),
            seed: self.random.next_u64(),
            limits: run.fields.limits,
            request_id: record.request_id.clone(),
            run_timeout: record.run_timeout,
            execution_timeout: record.execution_timeout,
            requested_at: record.requested_at,
        }
    }

    /// Marks a run as one that cannot be activated. It is tried again later.
    pub(super) fn block(&mut self, work: &mut Work, state: BlockedState) {
        let run = &mut work.run;
        let reason_is_new = run.fields.blocked.as_ref().is_none_or(|old| old.reason != state.reason);
        let pause = BLOCKED_FIRST.saturating_mul(1 << run.retry.failures.min(10)).min(BLOCKED_MAX);
        let at = (!state.is_missing).then(|| self.moment.now.after(pause));
        run.retry = Retry { failures: run.retry.failures.saturating_add(1), at, is_waiting: false };
        if reason_is_new {
            tracing::warn!(
                workflow_id = %run.head.workflow_id,
                run_id = %run.id(),
                reason = %state.reason,
                "the run cannot be activated; it is tried again",
            );
            run.fields.blocked = Some(state);
            work.is_changed = true;
        }
    }

    /// Tries a blocked run again: replays it, then admits what waits in its mailbox.
    pub(super) fn unblock(&mut self, work: &mut Work) -> Result<(), StoreError> {
        if work.run.in_flight > 0 {
            // Replay reads the store, which does not have everything yet.
            work.run.retry = Retry { at: None, is_waiting: true, ..work.run.retry };
            return Ok(());
        }
        if work.run.is_admitted()
            && let Err(state) = self.ensure_executor(&mut work.run)?
        {
            self.block(work, state);
            return Ok(());
        }
        let was_changed = work.is_changed;
        let was = work.run.fields.blocked.take();
        work.run.retry = Retry { at: None, ..work.run.retry };
        self.open_mailbox(work);
        self.process(work)?;
        if let (Some(was), Some(now)) = (was, &work.run.fields.blocked) {
            // The same reason as before is no news, and nothing is written for it.
            if was.reason == now.reason && work.events.is_empty() {
                work.run.fields.blocked = Some(was);
                work.is_changed = was_changed;
            }
            return Ok(());
        }
        work.run.retry = Retry::default();
        self.blocked.remove(&work.run.id());
        work.is_changed = true;
        self.place_all(work)
    }

    /// Everything in the mailbox is to be admitted, before what arrived since.
    pub(super) fn open_mailbox(&mut self, work: &mut Work) {
        while let Some((row, body)) = work.run.mail.pop_back() {
            work.inputs.push_front(Queued { body, row: Some(row) });
        }
    }

    /// Tasks that wait without standing in a line: steps could not be run while the run was blocked.
    pub(super) fn place_all(&mut self, work: &mut Work) -> Result<(), StoreError> {
        if work.run.counts.waiting == 0 {
            return Ok(());
        }
        let tasks: Vec<EventId> = work.run.items.keys().copied().collect();
        for id in tasks {
            self.place(work, id)?;
        }
        Ok(())
    }

    /// Ends a run whose history is at its limit, and one whose undos have run after an imposed end.
    fn impose_limits(&mut self, work: &mut Work) {
        if work.run.is_closed() || !work.run.is_admitted() {
            return;
        }
        let fields = &work.run.fields;
        let limit = fields.limits.history_events_max;
        match &fields.imposed {
            Some(cause) if !fields.has_undos => {
                let cause = cause.clone();
                self.close_by_engine(work, cause);
            }
            Some(_) => {}
            None if work.run.head.last_event.0 >= limit => {
                self.impose(work, CancelCause::HistoryLimit(limit));
            }
            None => {}
        }
    }

    /// The engine ends a run: at once, or through its undos.
    pub(super) fn impose(&mut self, work: &mut Work, cause: CancelCause) {
        if work.run.fields.imposed.is_some() || work.run.is_closed() {
            return;
        }
        work.run.fields.imposed = Some(cause.clone());
        work.is_changed = true;
        if work.run.fields.has_undos {
            work.arrive(CancelRequested { cause });
        } else {
            self.close_by_engine(work, cause);
        }
    }
}

/// Puts an input into the mailbox; one that came from there keeps its row.
fn post(work: &mut Work, queued: Queued) {
    let Queued { body, row } = queued;
    if let Some(row) = row {
        work.run.mail.push_back((row, body));
        return;
    }
    let sequence = work.run.head.mail_next;
    match body.encode() {
        Ok(bytes) => {
            work.run.head.mail_next += 1;
            let row = MailRow { sequence, body: bytes };
            work.writes.push(Write::PutMail { run: work.run.id(), row });
            work.run.mail.push_back((sequence, body));
            work.is_changed = true;
        }
        Err(error) => tracing::error!(run = %work.run.id(), %error, "an input is too large for the mailbox"),
    }
}

/// An input was admitted or is of no use: its row goes.
fn drop_row(work: &mut Work, queued: &Queued) {
    if let Some(sequence) = queued.row {
        let run = work.run.id();
        work.writes.push(Write::DeleteMail { run, sequence });
        work.run.fields.mail_first = sequence + 1;
        work.is_changed = true;
    }
}

/// An input as it has to be admitted now; `None` if its target is settled.
#[expect(clippy::wildcard_enum_match_arm, reason = "only what may have been settled has to be fitted")]
fn fitted(run: &mut LiveRun, input: EventKind) -> Option<EventKind> {
    let settled = &mut run.fields.settled;
    let mut take = |id: EventId| match settled.iter().position(|settled| *settled == id) {
        Some(index) => {
            settled.remove(index);
            true
        }
        None => false,
    };
    let cancelled = |scheduled: EventId, attempts: AttemptSummary| {
        Some(EventKind::from(ActivityCancelled { scheduled, attempts }))
    };
    match input {
        EventKind::TimerFired(e) if take(e.started) => None,
        EventKind::ActivityFailed(e) if take(e.scheduled) => cancelled(e.scheduled, e.attempts),
        EventKind::ActivityTimedOut(e) if take(e.scheduled) => cancelled(e.scheduled, e.attempts),
        EventKind::ActivityCompleted(ref e) => {
            take(e.scheduled);
            Some(input)
        }
        EventKind::ActivityCancelled(ref e) => {
            take(e.scheduled);
            Some(input)
        }
        other => Some(other),
    }
}
