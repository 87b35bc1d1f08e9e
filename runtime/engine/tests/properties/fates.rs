//! What a history and the code's own words say of sagas: a second opinion on what has to be undone, and where.

use std::collections::BTreeMap;

use serde::Deserialize;
use steadfast_core::history::{Event, EventKind, FailedUndo};
use steadfast_core::{Effect, EventId};
use steadfast_engine::sim::Seen;

use crate::record::Record;

/// A saga.
#[derive(Debug, Default)]
pub(crate) struct SagaFate {
    pub(crate) parent: Option<u32>,
    /// When in the order of what was seen it gave its value, and whether that was `Ok`.
    pub(crate) ended: Option<(usize, bool)>,
    pub(crate) started: Option<EventId>,
    pub(crate) finished: Option<(EventId, u32, Vec<FailedUndo>)>,
}

/// A step of a saga that has an undo.
#[derive(Debug)]
pub(crate) struct StepFate {
    /// The sagas around, outermost first.
    pub(crate) inside: Vec<u32>,
    /// The event that says how it ended, and what is known of its effect.
    pub(crate) settled: Option<(EventId, Effect)>,
    /// When in the order of what was seen its future was dropped unfinished.
    pub(crate) dropped: Option<usize>,
}

/// The undo of a step.
#[derive(Debug)]
pub(crate) struct UndoFate {
    pub(crate) scheduled: EventId,
    pub(crate) ended: Option<(EventId, bool)>,
}

/// An undo that is code of the workflow's own.
#[derive(Debug)]
pub(crate) struct OwnFate {
    pub(crate) inside: Vec<u32>,
    /// The newest event when it was registered.
    pub(crate) registered: EventId,
    /// The newest event when it began to run.
    pub(crate) began: Option<EventId>,
    pub(crate) is_ok: Option<bool>,
}

/// All of a run.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    pub(crate) sagas: BTreeMap<u32, SagaFate>,
    pub(crate) steps: BTreeMap<EventId, StepFate>,
    /// By the step that is undone.
    pub(crate) undos: BTreeMap<EventId, UndoFate>,
    /// By number.
    pub(crate) own: BTreeMap<u32, OwnFate>,
    /// What the function returned.
    pub(crate) returned: Option<Option<steadfast_core::WorkflowError>>,
}

#[derive(Deserialize)]
struct CallInput {
    sagas: Vec<u32>,
}

impl Fates {
    pub(crate) fn of(record: &Record) -> Result<Self, String> {
        let mut fates = Self::default();
        for event in &record.history {
            fates.follow(event)?;
        }
        for (at, seen) in record.seen().enumerate() {
            fates.hear(at, seen)?;
        }
        Ok(fates)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other events say nothing of sagas")]
    fn follow(&mut self, event: &Event) -> Result<(), String> {
        let id = event.id;
        match &event.kind {
            EventKind::ActivityScheduled(e) => {
                if let Some(step) = e.undoes {
                    let undo = UndoFate { scheduled: id, ended: None };
                    if self.undos.insert(step, undo).is_some() {
                        return Err(format!("undone twice: step {step}"));
                    }
                } else if e.compensate.is_some() {
                    let input: CallInput = e.input.decode().map_err(|error| error.to_string())?;
                    self.steps.insert(id, StepFate { inside: input.sagas, settled: None, dropped: None });
                }
            }
            EventKind::ActivityCompleted(e) => self.settle(id, e.scheduled, Effect::Done, true),
            EventKind::ActivityFailed(e) => self.settle(id, e.scheduled, e.attempts.effect, false),
            EventKind::ActivityTimedOut(e) => self.settle(id, e.scheduled, e.attempts.effect, false),
            EventKind::ActivityCancelled(e) => self.settle(id, e.scheduled, e.attempts.effect, false),
            EventKind::ActivityCancelRequested(e)
                if self.undos.values().any(|undo| undo.scheduled == e.scheduled) =>
            {
                return Err(format!("a cancel reaches an undo: {}", e.scheduled));
            }
            EventKind::CompensationStarted(e) => {
                self.sagas.entry(e.saga).or_default().started = Some(id);
            }
            EventKind::CompensationFinished(e) => {
                let finished = (id, e.undone, e.failed.clone());
                self.sagas.entry(e.saga).or_default().finished = Some(finished);
            }
            _ => {}
        }
        Ok(())
    }

    fn settle(&mut self, id: EventId, scheduled: EventId, effect: Effect, is_ok: bool) {
        if let Some(step) = self.steps.get_mut(&scheduled) {
            step.settled = Some((id, effect));
        }
        if let Some(undo) = self.undos.values_mut().find(|undo| undo.scheduled == scheduled) {
            undo.ended = Some((id, is_ok));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other things say nothing of sagas")]
    fn hear(&mut self, at: usize, seen: &Seen) -> Result<(), String> {
        match seen {
            Seen::SagaBegan { saga, inside } => self.sagas.entry(*saga).or_default().parent = *inside,
            Seen::SagaEnded { saga, is_ok } => {
                self.sagas.entry(*saga).or_default().ended = Some((at, *is_ok));
            }
            Seen::Dropped { begun } => {
                if let Some(step) = self.steps.get_mut(begun) {
                    step.dropped = Some(at);
                }
            }
            Seen::UndoRegistered { saga, number, after } => {
                let own =
                    OwnFate { inside: self.around(*saga), registered: *after, began: None, is_ok: None };
                self.own.insert(*number, own);
            }
            Seen::UndoBegan { number, after } => {
                let own = self.own.get_mut(number).ok_or("an undo that was not registered")?;
                if own.began.replace(*after).is_some() {
                    return Err(format!("undone twice: undo {number} of the workflow's own"));
                }
            }
            Seen::UndoEnded { number, is_ok } => {
                self.own.get_mut(number).ok_or("an undo that was not registered")?.is_ok = Some(*is_ok);
            }
            Seen::Returned { error } => self.returned = Some(error.clone()),
            _ => {}
        }
        Ok(())
    }

    /// A saga and those around it, outermost first.
    fn around(&self, saga: u32) -> Vec<u32> {
        let mut all: Vec<u32> =
            std::iter::successors(Some(saga), |saga| self.sagas.get(saga)?.parent).collect();
        all.reverse();
        all
    }

    /// The sagas that may have to undo what was done inside these, innermost first; one of them has to.
    ///
    /// A saga that succeeded hands what it has to the one around it; what was dropped before it ended it undoes
    /// itself. A saga that failed, or never gave a value, undoes everything, unless one around it has failed too and
    /// took that over.
    fn responsible(&self, inside: &[u32], dropped: Option<usize>) -> Vec<u32> {
        let ended = |saga: &u32| self.sagas.get(saga).and_then(|saga| saga.ended);
        let mut found = Vec::new();
        for saga in inside.iter().rev() {
            let has_to = match ended(saga) {
                Some((at, true)) => found.is_empty() && dropped.is_some_and(|dropped| dropped < at),
                Some((_, false)) | None => true,
            };
            if has_to {
                found.push(*saga);
            }
        }
        found
    }

    /// Who has to undo a step; nobody if it had no effect.
    pub(crate) fn responsible_for(&self, step: &StepFate) -> Vec<u32> {
        let had_effect = step.settled.is_none_or(|(_, effect)| effect != Effect::None);
        if had_effect { self.responsible(&step.inside, step.dropped) } else { Vec::new() }
    }

    /// Who has to run an undo of the workflow's own.
    pub(crate) fn responsible_for_own(&self, own: &OwnFate) -> Vec<u32> {
        self.responsible(&own.inside, None)
    }

    /// The saga that undid a step: the innermost of those that have to, and that unwinds at that moment.
    pub(crate) fn undoer(&self, id: EventId) -> Option<u32> {
        let (step, undo) = (self.steps.get(&id)?, self.undos.get(&id)?);
        let by = self.responsible_for(step);
        by.into_iter().find(|saga| self.unwinds(*saga, undo.scheduled, undo.scheduled))
    }

    /// The saga that ran an undo of the workflow's own.
    pub(crate) fn own_undoer(&self, number: u32) -> Option<u32> {
        let own = self.own.get(&number)?;
        let began = own.began?;
        // One that issues nothing is followed directly by the end of the unwinding.
        self.responsible_for_own(own).into_iter().find(|saga| self.unwinds(*saga, began.next(), began))
    }

    /// Whether the saga began to unwind before one event, and had not finished before another.
    fn unwinds(&self, saga: u32, began_before: EventId, ended_after: EventId) -> bool {
        let Some(SagaFate { started: Some(started), finished, .. }) = self.sagas.get(&saga) else {
            return false;
        };
        *started < began_before && finished.as_ref().is_none_or(|(finished, ..)| ended_after < *finished)
    }
}
