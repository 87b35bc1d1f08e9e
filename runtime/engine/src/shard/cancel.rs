//! A client asks a run to end.

use steadfast_core::RequestId;
use steadfast_core::history::{CancelCause, CancelRequested};
use steadfast_store::StoreError;

use super::load::Opened;
use super::machine::Shard;
use super::work::Work;
use crate::client::{CancelRequest, RunSelector};
use crate::error::{EndError, Unavailable};
use crate::head::RequestOutcome;
use crate::message::{Answer, Effect, Reply};

/// Why a request is refused whose id stands for a call of another kind.
pub(super) fn used_for_another(request: &RequestId) -> String {
    format!("request id `{request}` was used for another call of this workflow; use a new one")
}

/// A run that may be ended or decided about, or the answer to the client.
pub(super) enum ToEnd {
    Run(Box<Work>),
    Answer(Result<(), EndError>, Option<u64>),
}

impl Shard {
    pub(super) fn cancel(&mut self, request: CancelRequest, reply: Reply<(), EndError>) {
        let CancelRequest { run, reason, request_id } = request;
        let Some(request_id) = request_id else {
            drop(reply.send(Err(Unavailable::Invalid("the request has no id".to_owned()).into())));
            return;
        };
        let found = self.find_to_end(&run, &request_id, &RequestOutcome::Cancelled);
        let Some((mut work, reply)) = self.work_to_end(found, reply) else { return };
        if !work.run.fields.user_cancelled {
            work.run.fields.user_cancelled = true;
            let cause = CancelCause::User { reason, request_id: request_id.clone() };
            work.arrive(CancelRequested { cause });
        }
        let processed = self.process(&mut work);
        self.finish_end(*work, request_id, &RequestOutcome::Cancelled, reply, processed);
    }

    /// Writes the outcome of the request with what the request did, and answers once it is durable.
    pub(super) fn finish_end<E: From<Unavailable> + Send + 'static>(
        &mut self,
        mut work: Work,
        request_id: RequestId,
        outcome: &RequestOutcome,
        reply: Reply<(), E>,
        done: Result<(), StoreError>,
    ) {
        if let Err(error) = &done {
            drop(reply.send(Err(Unavailable::from(error).into())));
            self.check(done);
            return;
        }
        let row = self.request_row(work.run.id(), outcome);
        work.request = Some((work.run.head.workflow_id.clone(), request_id, row));
        work.effects.push(Effect::Answer(Answer::new(reply, Ok(()))));
        self.submit(work);
    }

    /// Answers what can be answered at once; the run otherwise.
    pub(super) fn work_to_end<E: From<EndError> + From<Unavailable> + Send + 'static>(
        &mut self,
        found: Result<ToEnd, StoreError>,
        reply: Reply<(), E>,
    ) -> Option<(Box<Work>, Reply<(), E>)> {
        match found {
            Ok(ToEnd::Run(work)) => Some((work, reply)),
            Ok(ToEnd::Answer(answer, ticket)) => {
                let answer = answer.map_err(E::from);
                self.after(ticket.unwrap_or(0), Effect::Answer(Answer::new(reply, answer)));
                None
            }
            Err(error) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                self.check(Err(error));
                None
            }
        }
    }

    /// The run that a client wants to end or to decide about, if it is open and the request is new.
    pub(super) fn find_to_end(
        &mut self,
        selector: &RunSelector,
        request_id: &RequestId,
        wanted: &RequestOutcome,
    ) -> Result<ToEnd, StoreError> {
        let workflow = &selector.workflow_id;
        if let Some((ticket, known)) = self.known(workflow, request_id)? {
            let why = || Unavailable::Invalid(used_for_another(request_id));
            let answer = if known == *wanted { Ok(()) } else { Err(why().into()) };
            return Ok(ToEnd::Answer(answer, ticket));
        }
        let missing = || ToEnd::Answer(Err(EndError::NotFound(workflow.clone())), None);
        let Some(run) = self.select(selector)? else { return Ok(missing()) };
        match self.open(run)? {
            Opened::Missing => Ok(missing()),
            Opened::Unreadable(reason) => {
                Ok(ToEnd::Answer(Err(Unavailable::Unreadable(reason).into()), None))
            }
            Opened::Run(work) if work.run.head.workflow_id != *workflow => {
                self.put_back(work.run);
                Ok(missing())
            }
            Opened::Run(work) if work.run.is_closed() => {
                let ticket = work.run.last_ticket;
                self.put_back(work.run);
                let closed = EndError::Closed { workflow_id: workflow.clone(), run_id: run };
                Ok(ToEnd::Answer(Err(closed), Some(ticket)))
            }
            Opened::Run(work) => Ok(ToEnd::Run(work)),
        }
    }
}
