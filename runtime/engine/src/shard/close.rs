//! The end of a run: its rows, its activities, and ends that the engine imposes.

use steadfast_core::history::{CancelCause, ClosedBy, Event, EventKind, WorkflowFailed, WorkflowTimedOut};
use steadfast_core::machine::TaskState;
use steadfast_core::{EventId, WorkflowError};
use steadfast_store::{CurrentRow, RunStatus, Write};

use super::machine::Shard;
use super::work::Work;
use crate::activity::Stop;
use crate::client::closed_status;
use crate::head::MailBody;
use crate::message::Effect;

impl Shard {
    /// The run has its closing event: nothing of it stays open.
    pub(super) fn close(&mut self, work: &mut Work, status: RunStatus) {
        let run = work.run.id();
        work.run.head.status = status;
        work.run.fields.closed_at = Some(work.run.fields.last_at);
        work.run.fields.blocked = None;
        work.run.fields.unwinding = false;
        work.run.fields.holds.clear();
        work.run.fields.settled.clear();
        work.run.retry.at = None;
        work.is_changed = true;
        self.blocked.remove(&run);
        let items: Vec<EventId> = work.run.items.keys().copied().collect();
        for id in items {
            self.end_item(work, id);
        }
        for (sequence, _) in std::mem::take(&mut work.run.mail) {
            work.writes.push(Write::DeleteMail { run, sequence });
        }
        work.run.fields.mail_first = work.run.head.mail_next;
        let row = CurrentRow { run_id: run, status };
        work.current = Some((work.run.head.workflow_id.clone(), row));
    }

    /// A running body of a closed run is told to stop; a waiting task never starts.
    fn end_item(&mut self, work: &mut Work, id: EventId) {
        if let Some(task) = work.run.task(id) {
            match task.state {
                TaskState::Running { .. } => {
                    let key = self.key(&work.run, task);
                    let grace = task.options.cancel_grace;
                    work.effects.push(Effect::Stop(key, Stop::Abandon(grace)));
                    self.end_attempt(work, key);
                }
                TaskState::Pending => self.shared.dispatcher().forget(&self.task_ref(&work.run, id)),
                TaskState::RetryWait { .. } => {}
            }
        }
        work.remove_item(id);
    }

    /// Appends a closing event that the code had no part in.
    pub(super) fn close_by_engine(&mut self, work: &mut Work, cause: CancelCause) {
        let compensation = work.run.fields.compensation.clone();
        let by = ClosedBy::Engine;
        let closing: EventKind = match cause {
            CancelCause::HistoryLimit(limit) => {
                WorkflowFailed { error: WorkflowError::HistoryLimit(limit), by, compensation }.into()
            }
            CancelCause::RunTimeout | CancelCause::ExecutionTimeout | CancelCause::User { .. } => {
                WorkflowTimedOut { cause, by, compensation }.into()
            }
        };
        self.append_closing(work, closing);
    }

    /// Appends a closing event, with the first event before it if the history has not begun.
    pub(super) fn append_closing(&mut self, work: &mut Work, closing: EventKind) {
        let mut events = Vec::new();
        let at = self.now().max(work.run.fields.last_at);
        let mut id = work.run.head.last_event.next();
        if !work.run.is_admitted()
            && let Some(record) = first_mail(work)
        {
            let version = record.version.unwrap_or(0);
            let started = self.started(&work.run, &record, version);
            events.push(Event { id, at, kind: started.into() });
            id = id.next();
        }
        let status = closed_status(&closing);
        events.push(Event { id, at, kind: closing });
        work.append(events);
        // What the code would do about it is of no interest any more.
        work.run.executor = None;
        if let Some(status) = status {
            self.close(work, status);
        }
    }
}

/// The start that waits in the mailbox, or that is being worked on.
fn first_mail(work: &Work) -> Option<crate::head::StartRecord> {
    let stored = work.run.mail.front().map(|(_, body)| body);
    let queued = work.inputs.front().map(|queued| &queued.body);
    match stored.or(queued) {
        Some(MailBody::Start(record)) => Some(crate::head::StartRecord::clone(record)),
        Some(MailBody::Input(_)) | None => None,
    }
}
