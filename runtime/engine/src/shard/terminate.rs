//! A client ends a run at once.

use steadfast_core::EventId;
use steadfast_core::history::WorkflowTerminated;
use steadfast_store::StoreError;

use super::machine::Shard;
use super::work::Work;
use crate::client::TerminateRequest;
use crate::error::{EndError, Unavailable};
use crate::head::RequestOutcome;
use crate::message::Reply;

impl Shard {
    pub(super) fn terminate(&mut self, request: TerminateRequest, reply: Reply<(), EndError>) {
        let TerminateRequest { run, reason, request_id } = request;
        let Some(request_id) = request_id else {
            drop(reply.send(Err(Unavailable::Invalid("the request has no id".to_owned()).into())));
            return;
        };
        let found = self.find_to_end(&run, &request_id, &RequestOutcome::Terminated);
        let Some((mut work, reply)) = self.work_to_end(found, reply) else { return };
        let done = self.terminate_run(&mut work, reason);
        self.finish_end(*work, request_id, &RequestOutcome::Terminated, reply, done);
    }

    /// Appends the closing event. Undos that were not run are listed, and somebody should look.
    pub(super) fn terminate_run(&mut self, work: &mut Work, reason: String) -> Result<(), StoreError> {
        let undos_not_run = self.undos(work)?;
        if work.run.fields.has_undos {
            let text = if undos_not_run.is_empty() {
                "terminated with undos that were not run".to_owned()
            } else {
                let steps: Vec<String> = undos_not_run.iter().map(ToString::to_string).collect();
                format!("terminated, the undos of steps {} were not run", steps.join(", "))
            };
            work.run.fields.attention.push(text);
        }
        let compensation = work.run.fields.compensation.clone();
        let closing = WorkflowTerminated { reason, undos_not_run, compensation };
        self.append_closing(work, closing.into());
        Ok(())
    }

    /// The steps whose undo is registered, as far as the code can be asked.
    pub(super) fn undos(&mut self, work: &mut Work) -> Result<Vec<EventId>, StoreError> {
        let run = &mut work.run;
        let can_ask = run.fields.has_undos
            && run.fields.blocked.is_none()
            && (run.executor.is_some() || run.in_flight == 0);
        if !can_ask || self.ensure_executor(run)?.is_err() {
            return Ok(Vec::new());
        }
        Ok(run.executor.as_ref().map(|executor| executor.undos()).unwrap_or_default())
    }
}
