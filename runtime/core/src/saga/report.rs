//! What sagas of a run undid, read from its history.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::failure::Effect;
use crate::history::{
    ActivityScheduled, AttemptSummary, CompensationStarted, Event, EventKind, OperatorDecided,
    OperatorDecision,
};
use crate::id::{ActivityName, EventId, IdempotencyKey};
use crate::time::Timestamp;

/// The unwinding of one saga: who was undone, when, how often, and with what result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SagaReport {
    /// The number of the saga in its run, from 1.
    pub saga: u32,
    /// Its `CompensationStarted`.
    pub started: EventId,
    /// When it began to unwind.
    pub started_at: Timestamp,
    /// Why, in words.
    pub cause: String,
    /// When it had unwound; `None` while it does, and if the run was terminated.
    pub finished_at: Option<Timestamp>,
    /// Who let an unwinding go on that waited as a whole.
    pub approved: Option<Decided>,
    /// The steps that had an undo to run, in the order in which that was first called or decided about.
    pub steps: Vec<StepReport>,
}

/// One step of a saga, and what became of its undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Its `ActivityScheduled`.
    pub step: EventId,
    /// The activity.
    pub activity: ActivityName,
    /// Its idempotency key.
    pub idempotency_key: IdempotencyKey,
    /// What is known of its effect; unknown while it is open.
    pub effect: Effect,
    /// The undo.
    pub undo: Option<ActivityName>,
    /// The calls of the undo: more than one only if an operator let it run again.
    pub calls: Vec<UndoCall>,
    /// What operators decided, in order.
    pub decisions: Vec<Decided>,
    /// How it stands.
    pub state: UndoState,
}

/// One call of an undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UndoCall {
    /// Its `ActivityScheduled`.
    pub scheduled: EventId,
    /// When it was scheduled.
    pub scheduled_at: Timestamp,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
    /// Its attempts, once it is over; they go on counting from those of the call before.
    pub attempts: Option<AttemptSummary>,
    /// Why it failed, in words, if it did.
    pub error: Option<String>,
}

/// What an operator decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// What.
    pub decision: OperatorDecision,
}

/// How an undo stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UndoState {
    /// It runs, or waits to be run again.
    Open,
    /// It succeeded, or an operator did its work by other means.
    Undone,
    /// Its newest call failed; the step still stands.
    Failed,
    /// An operator gave it up; the step still stands.
    Skipped,
}

/// The unwindings in a history, in the order in which they began. Sagas that never unwound are not in it.
#[must_use]
pub fn saga_reports(events: &[Event]) -> Vec<SagaReport> {
    let mut reader = Reader { events, effects: BTreeMap::new(), reports: Vec::new() };
    for event in events {
        reader.read(event);
    }
    reader.reports
}

struct Reader<'a> {
    events: &'a [Event],
    /// Of activities that are over.
    effects: BTreeMap<EventId, Effect>,
    reports: Vec<SagaReport>,
}

impl Reader<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what belongs to an unwinding is read")]
    fn read(&mut self, event: &Event) {
        match &event.kind {
            EventKind::CompensationStarted(started) => self.started(event, started),
            EventKind::CompensationFinished(e) => {
                if let Some(report) = self.reports.iter_mut().find(|report| report.saga == e.saga) {
                    report.finished_at = Some(event.at);
                }
            }
            EventKind::ActivityScheduled(e) => self.called(event, e),
            EventKind::ActivityCompleted(e) => {
                self.effects.insert(e.scheduled, Effect::Done);
                self.ended(event, e.scheduled, &e.attempts, None);
            }
            EventKind::ActivityFailed(e) => {
                self.effects.insert(e.scheduled, e.attempts.effect);
                self.ended(event, e.scheduled, &e.attempts, Some(e.error.to_string()));
            }
            EventKind::ActivityTimedOut(e) => {
                self.effects.insert(e.scheduled, e.attempts.effect);
                self.ended(event, e.scheduled, &e.attempts, Some(format!("{} timeout", e.timeout)));
            }
            EventKind::ActivityCancelled(e) => {
                self.effects.insert(e.scheduled, e.attempts.effect);
            }
            EventKind::OperatorDecided(e) => self.decided(event, e),
            _ => {}
        }
    }

    fn started(&mut self, event: &Event, started: &CompensationStarted) {
        self.reports.push(SagaReport {
            saga: started.saga,
            started: event.id,
            started_at: event.at,
            cause: started.cause.clone(),
            finished_at: None,
            approved: None,
            steps: Vec::new(),
        });
    }

    fn called(&mut self, event: &Event, undo: &ActivityScheduled) {
        let (Some(saga), Some(step)) = (undo.saga, undo.undoes) else { return };
        let call = UndoCall {
            scheduled: event.id,
            scheduled_at: event.at,
            ended_at: None,
            attempts: None,
            error: None,
        };
        if let Some(report) = self.step(saga, step) {
            report.undo = Some(undo.activity.clone());
            report.state = UndoState::Open;
            report.calls.push(call);
        }
    }

    fn ended(&mut self, event: &Event, call: EventId, attempts: &AttemptSummary, error: Option<String>) {
        let mut steps = self.reports.iter_mut().flat_map(|report| &mut report.steps);
        let found = steps.find_map(|step| {
            let index = step.calls.iter().position(|known| known.scheduled == call)?;
            Some((step, index))
        });
        let Some((step, index)) = found else { return };
        step.state = if error.is_none() { UndoState::Undone } else { UndoState::Failed };
        let call = &mut step.calls[index];
        (call.ended_at, call.attempts, call.error) = (Some(event.at), Some(attempts.clone()), error);
    }

    fn decided(&mut self, event: &Event, decided: &OperatorDecided) {
        let entry = Decided { at: event.at, who: decided.who.clone(), decision: decided.decision.clone() };
        if let Some(whole) = self.reports.iter_mut().find(|report| report.started == decided.target) {
            whole.approved = Some(entry);
            return;
        }
        let of_call = |report: &&SagaReport| report.steps.iter().any(|step| step.step == decided.target);
        let saga = self.reports.iter().rev().find(of_call).map(|report| report.saga);
        // The undo of a step that waits for approval was not called yet.
        let saga = saga.or_else(|| self.scheduled(decided.target).and_then(|step| step.saga));
        let newest = self.reports.iter().rev().find(|report| report.finished_at.is_none());
        let Some(saga) = saga
            .filter(|saga| self.reports.iter().any(|report| report.saga == *saga))
            .or(newest.map(|report| report.saga))
        else {
            return;
        };
        let Some(step) = self.step(saga, decided.target) else { return };
        match &decided.decision {
            OperatorDecision::Skip { .. } => step.state = UndoState::Skipped,
            OperatorDecision::Answer { .. } => step.state = UndoState::Undone,
            OperatorDecision::Retry | OperatorDecision::Approve => step.state = UndoState::Open,
        }
        step.decisions.push(entry);
    }

    fn scheduled(&self, id: EventId) -> Option<&ActivityScheduled> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        let event = self.events.get(index).filter(|event| event.id == id)?;
        if let EventKind::ActivityScheduled(scheduled) = &event.kind { Some(scheduled) } else { None }
    }

    /// A step in the report of the saga that undoes it.
    fn step(&mut self, saga: u32, step: EventId) -> Option<&mut StepReport> {
        let scheduled = self.scheduled(step).cloned()?;
        let effect = self.effects.get(&step).copied().unwrap_or(Effect::Unknown);
        let report = self.reports.iter_mut().find(|report| report.saga == saga)?;
        if let Some(index) = report.steps.iter().position(|known| known.step == step) {
            return report.steps.get_mut(index);
        }
        report.steps.push(StepReport {
            step,
            activity: scheduled.activity,
            idempotency_key: scheduled.idempotency_key,
            effect,
            undo: scheduled.compensate,
            calls: Vec::new(),
            decisions: Vec::new(),
            state: UndoState::Open,
        });
        report.steps.last_mut()
    }
}
