//! An operator decides about something in a saga that waits for it.

use steadfast_core::ID_BYTES_MAX;
use steadfast_core::history::{OperatorDecided, OperatorDecision};
use steadfast_core::limits::clip;
use steadfast_store::StoreError;

use super::cancel::ToEnd;
use super::describe::failed_undo;
use super::machine::Shard;
use super::run::LiveRun;
use super::work::Work;
use crate::client::DecideRequest;
use crate::error::{DecideError, Unavailable};
use crate::head::{BlockedState, RequestOutcome};
use crate::message::{Answer, Effect, Reply};

impl Shard {
    pub(super) fn operator_decides(&mut self, request: DecideRequest, reply: Reply<(), DecideError>) {
        let DecideRequest { run, target, decision, who, request_id } = request;
        let Some(request_id) = request_id else {
            drop(reply.send(Err(Unavailable::Invalid("the request has no id".to_owned()).into())));
            return;
        };
        if who.trim().is_empty() || who.len() > ID_BYTES_MAX {
            drop(reply.send(Err(DecideError::Nameless)));
            return;
        }
        let outcome = RequestOutcome::Decided(target);
        let found: Result<ToEnd, StoreError> = self.find_to_end(&run, &request_id, &outcome);
        let Some((mut work, reply)) = self.work_to_end(found, reply) else { return };
        let decided = OperatorDecided { target, decision, who, request_id: request_id.clone() };
        let decided = match accept(&mut work.run, decided) {
            Ok(decided) => decided,
            Err(error) => {
                let ticket = work.run.last_ticket;
                self.put_back(work.run);
                self.after(ticket, Effect::Answer(Answer::new(reply, Err(error))));
                return;
            }
        };
        work.is_changed = true;
        work.arrive(decided);
        let processed = self.process(&mut work);
        self.finish_end(*work, request_id, &outcome, reply, processed);
    }

    /// Appends a decision, if what it is about still waits: one that lay in the mailbox may come too late.
    pub(super) fn admit_decision(
        &mut self,
        work: &mut Work,
        decided: OperatorDecided,
    ) -> Result<Result<(), BlockedState>, StoreError> {
        if let Err(blocked) = self.ensure_executor(&mut work.run)? {
            return Ok(Err(blocked));
        }
        let holds = work.run.executor.as_ref().map(|executor| executor.holds()).unwrap_or_default();
        if !holds.iter().any(|hold| hold.target == decided.target) {
            let OperatorDecided { target, who, .. } = decided;
            tracing::warn!(run_id = %work.run.id(), %target, who, "a decision came too late and is dropped");
            return Ok(Ok(()));
        }
        self.activate(work, decided.into())
    }
}

/// A decision that fits what waits, which no other one may decide from now on.
fn accept(run: &mut LiveRun, decided: OperatorDecided) -> Result<OperatorDecided, DecideError> {
    let name = decided.decision.name();
    let holds = &mut run.fields.holds;
    let Some(index) = holds.iter().position(|hold| hold.target == decided.target) else {
        let (workflow_id, target) = (run.head.workflow_id.clone(), decided.target);
        return Err(DecideError::NothingWaits { workflow_id, target, holds: holds.clone() });
    };
    if !holds[index].kind.decisions().contains(&name) {
        return Err(DecideError::Misfit { decision: name, hold: holds[index].clone() });
    }
    let decision = match decided.decision {
        OperatorDecision::Answer { output } => {
            let what = || format!("answer for event {}", decided.target);
            output.check_size(run.fields.limits.payload_bytes_max, what)?;
            OperatorDecision::Answer { output }
        }
        OperatorDecision::Skip { reason } => OperatorDecision::Skip { reason: clip(reason) },
        other @ (OperatorDecision::Retry | OperatorDecision::Approve) => other,
    };
    let hold = holds.remove(index);
    if matches!(decision, OperatorDecision::Answer { .. })
        && let Some(text) = failed_undo(&hold)
    {
        run.fields.attention.retain(|known| *known != text);
    }
    Ok(OperatorDecided { decision, ..decided })
}
