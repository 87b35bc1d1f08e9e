//! Undos of one run: each belongs to a step that needs it, newest first, none twice, and what is said of them in the
//! end is true.
//!
//! Which sagas a step belongs to is in its input, as `sagas`: their numbers, outermost first. A step without it is
//! in the first saga.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use steadfast_core::history::{ActivityScheduled, AttemptSummary, Compensation, Event, EventKind};
use steadfast_core::{ActivityName, Effect, EventId, IdempotencyKey, Payload};

use super::super::report::SimCounts;

/// The cause that the core gives for undoing steps that lost in a saga that succeeded.
const LOSERS: &str = "a step lost and the saga succeeded";

/// A step with an undo.
#[derive(Debug)]
struct Step {
    undo: ActivityName,
    key: IdempotencyKey,
    sagas: Vec<u32>,
    /// Once it is over.
    effect: Option<Effect>,
    output: Option<Payload>,
    undone_by: Option<EventId>,
}

impl Step {
    fn needs_undo(&self) -> bool {
        self.effect.is_some_and(|effect| effect != Effect::None)
    }
}

/// A saga that unwinds, or has unwound.
#[derive(Debug, Default)]
struct Unwound {
    is_over: bool,
    only_losers: bool,
    /// The step undone last, and how often the order began anew.
    last: Option<EventId>,
    open: BTreeSet<EventId>,
    undone: u32,
    failed: Vec<EventId>,
}

/// The sagas of one run.
#[derive(Debug, Default)]
pub(super) struct SagaBook {
    steps: BTreeMap<EventId, Step>,
    /// Undos, and the saga and the step that they undo.
    undos: BTreeMap<EventId, (u32, EventId)>,
    sagas: BTreeMap<u32, Unwound>,
    finished_undone: u32,
    finished_failed: Vec<steadfast_core::history::FailedUndo>,
}

#[derive(Deserialize)]
struct Inside {
    #[serde(default)]
    sagas: Vec<u32>,
}

#[derive(Deserialize)]
struct UndoInput {
    output: Option<u64>,
    idempotency_key: String,
    effect: String,
}

impl SagaBook {
    pub(super) fn follow(&mut self, event: &Event, counts: &mut SimCounts) -> Result<(), String> {
        match &event.kind {
            EventKind::ActivityScheduled(e) => match e.undoes {
                Some(step) => self.undo(event.id, step, e),
                None => {
                    self.schedule(event.id, e);
                    Ok(())
                }
            },
            EventKind::ActivityCompleted(e) => {
                self.ended(e.scheduled, &e.attempts, Some(&e.output), counts);
                Ok(())
            }
            EventKind::ActivityFailed(e) => {
                self.ended(e.scheduled, &e.attempts, None, counts);
                Ok(())
            }
            EventKind::ActivityTimedOut(e) => {
                self.ended(e.scheduled, &e.attempts, None, counts);
                Ok(())
            }
            EventKind::ActivityCancelled(e) => {
                self.ended(e.scheduled, &e.attempts, None, counts);
                Ok(())
            }
            EventKind::CompensationStarted(e) => {
                let unwound = Unwound { only_losers: e.cause == LOSERS, ..Unwound::default() };
                self.sagas.insert(e.saga, unwound);
                Ok(())
            }
            EventKind::CompensationFinished(e) => self.finish(e),
            EventKind::WorkflowCompleted(e) => self.close(&e.compensation, true),
            EventKind::WorkflowFailed(e) => self.close(&e.compensation, true),
            EventKind::WorkflowCancelled(e) => self.close(&e.compensation, true),
            EventKind::WorkflowTimedOut(e) => self.close(&e.compensation, true),
            EventKind::WorkflowTerminated(e) => self.close(&e.compensation, false),
            EventKind::WorkflowStarted(_)
            | EventKind::TimerFired(_)
            | EventKind::CancelRequested(_)
            | EventKind::StepCompleted(_)
            | EventKind::StepFailed(_)
            | EventKind::OperatorDecided(_)
            | EventKind::ActivityCancelRequested(_)
            | EventKind::TimerStarted(_)
            | EventKind::TimerCancelled(_)
            | EventKind::StepStarted(_)
            | EventKind::SideEffectRecorded(_) => Ok(()),
        }
    }

    fn schedule(&mut self, id: EventId, scheduled: &ActivityScheduled) {
        let Some(undo) = scheduled.compensate.clone() else { return };
        let inside = scheduled.input.decode::<Inside>().map_or_else(|_| vec![1], |inside| inside.sagas);
        let step = Step {
            undo,
            key: scheduled.idempotency_key.clone(),
            sagas: inside,
            effect: None,
            output: None,
            undone_by: None,
        };
        self.steps.insert(id, step);
    }

    fn ended(
        &mut self,
        id: EventId,
        attempts: &AttemptSummary,
        output: Option<&Payload>,
        counts: &mut SimCounts,
    ) {
        if let Some(step) = self.steps.get_mut(&id) {
            step.effect = Some(attempts.effect);
            step.output = output.cloned();
        }
        let Some((saga, step)) = self.undos.get(&id).copied() else { return };
        let Some(unwound) = self.sagas.get_mut(&saga) else { return };
        unwound.open.remove(&id);
        if output.is_some() {
            unwound.undone += 1;
            counts.undone += 1;
        } else {
            unwound.failed.push(step);
            counts.failed_undos += 1;
        }
    }

    /// An undo is scheduled.
    fn undo(&mut self, id: EventId, of: EventId, undo: &ActivityScheduled) -> Result<(), String> {
        let Some(step) = self.steps.get_mut(&of) else { return Err(format!("{id} undoes {of}, no step")) };
        if step.undo != undo.activity {
            return Err(format!("{id} undoes {of} by `{}`, not by `{}`", undo.activity, step.undo));
        }
        if !step.needs_undo() {
            return Err(format!("{id} undoes {of}, whose effect is {:?}", step.effect));
        }
        if let Some(other) = step.undone_by.replace(id) {
            return Err(format!("{id} undoes {of}, which {other} undoes already"));
        }
        check_input(step, undo).map_err(|problem| format!("{id} undoes {of}: {problem}"))?;
        let unwinds = |saga: &u32| self.sagas.get(saga).is_some_and(|unwound| !unwound.is_over);
        let Some(saga) = step.sagas.iter().rev().copied().find(unwinds) else {
            return Err(format!("{id} undoes {of}, and none of its sagas {:?} unwinds", step.sagas));
        };
        self.undos.insert(id, (saga, of));
        let Some(unwound) = self.sagas.get_mut(&saga) else { return Ok(()) };
        if let Some(other) = unwound.open.first() {
            return Err(format!("{id} begins while the undo {other} of the same saga runs"));
        }
        if let Some(last) = unwound.last.replace(of)
            && last < of
            && !unwound.only_losers
        {
            return Err(format!("saga {saga} undoes {of} after {last}, which is older"));
        }
        unwound.open.insert(id);
        Ok(())
    }

    fn finish(&mut self, finished: &steadfast_core::history::CompensationFinished) -> Result<(), String> {
        let saga = finished.saga;
        let Some(unwound) = self.sagas.get_mut(&saga) else {
            return Err(format!("saga {saga} has unwound and never began to"));
        };
        unwound.is_over = true;
        let failed: Vec<EventId> = finished.failed.iter().filter_map(|undo| undo.step).collect();
        // Undos that are code of the workflow's own are no events.
        if failed != unwound.failed || finished.undone < unwound.undone || !unwound.open.is_empty() {
            return Err(format!("saga {saga} says {finished:?}, which is {unwound:?}"));
        }
        if !unwound.only_losers {
            let left = self.steps.iter().find(|(_, step)| {
                step.sagas.contains(&saga) && step.needs_undo() && step.undone_by.is_none()
            });
            if let Some((step, _)) = left {
                return Err(format!("saga {saga} has unwound, and step {step} was not undone"));
            }
        }
        self.finished_undone += finished.undone;
        self.finished_failed.extend(finished.failed.iter().cloned());
        Ok(())
    }

    fn close(&self, said: &Compensation, by_itself: bool) -> Result<(), String> {
        let own = if !self.finished_failed.is_empty() {
            Compensation::Failed(self.finished_failed.clone())
        } else if self.finished_undone > 0 {
            Compensation::Compensated
        } else {
            Compensation::None
        };
        if *said != own {
            return Err(format!("the run says {said:?} of its sagas, which is {own:?}"));
        }
        let unwinds = self.sagas.iter().find(|(_, unwound)| !unwound.is_over);
        match unwinds {
            Some((saga, _)) if by_itself => Err(format!("the run closes while saga {saga} unwinds")),
            Some(_) | None => Ok(()),
        }
    }

    /// Steps that took effect, or may have, and were not undone.
    pub(super) fn standing(&self) -> impl Iterator<Item = EventId> {
        let stands = |step: &Step| step.needs_undo() && step.undone_by.is_none();
        self.steps.iter().filter(move |(_, step)| stands(step)).map(|(id, _)| *id)
    }

    /// The keys of the steps whose undo succeeded.
    pub(super) fn undone_keys(&self) -> impl Iterator<Item = &IdempotencyKey> {
        let failed: BTreeSet<EventId> =
            self.sagas.values().flat_map(|unwound| unwound.failed.iter().copied()).collect();
        let open: BTreeSet<EventId> =
            self.sagas.values().flat_map(|unwound| unwound.open.iter().copied()).collect();
        self.steps.iter().filter_map(move |(id, step)| {
            let undo = step.undone_by?;
            (!failed.contains(id) && !open.contains(&undo)).then_some(&step.key)
        })
    }

    /// The keys of the steps that completed and were not undone.
    pub(super) fn done_keys(&self) -> impl Iterator<Item = &IdempotencyKey> {
        let stands = |step: &&Step| step.effect == Some(Effect::Done) && step.undone_by.is_none();
        self.steps.values().filter(stands).map(|step| &step.key)
    }
}

/// An undo is told what its step got, what it gave, and under which key.
fn check_input(step: &Step, undo: &ActivityScheduled) -> Result<(), String> {
    let input: UndoInput = undo.input.decode().map_err(|error| error.0)?;
    let output = step.output.as_ref().map(Payload::decode::<u64>).transpose();
    let output = output.map_err(|error| error.0)?;
    let effect = if step.effect == Some(Effect::Done) { "done" } else { "unknown" };
    if input.idempotency_key != step.key.as_str() || input.output != output || input.effect != effect {
        return Err(format!("it is told {:?}, {:?}, {}", input.idempotency_key, input.output, input.effect));
    }
    Ok(())
}
