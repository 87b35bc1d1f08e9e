//! What a history may say as a whole: the coordinator that routes each event to the machine it concerns.

use std::collections::BTreeMap;

use super::IllegalEvent;
use super::activity::ActivityState;
use super::compensation::CompensationState;
use super::step::StepState;
use super::timer::TimerState;
use crate::history::{Event, EventKind, Role};
use crate::id::EventId;
use crate::time::Timestamp;

/// Where a run stands, as far as its history tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunState {
    /// There is no event yet.
    #[default]
    Empty,
    /// It goes on.
    Open,
    /// It has its closing event.
    Closed,
}

/// A history that is not well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {id}: {problem}")]
pub struct HistoryError {
    /// The event that does not fit.
    pub id: EventId,
    /// Why not.
    pub problem: String,
}

/// Follows a history and refuses the first event that does not fit.
///
/// Only what is open is remembered, so following a long history takes little memory.
#[derive(Debug, Clone, Default)]
pub struct RunMachine {
    state: RunState,
    last: EventId,
    at: Timestamp,
    cancels: [bool; 2],
    activities: BTreeMap<EventId, ActivityState>,
    timers: BTreeMap<EventId, TimerState>,
    steps: BTreeMap<EventId, StepState>,
    sagas: BTreeMap<u32, CompensationState>,
}

impl RunMachine {
    /// A machine before the first event.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the run stands.
    #[must_use]
    pub fn state(&self) -> RunState {
        self.state
    }

    /// The last event followed.
    #[must_use]
    pub fn last(&self) -> EventId {
        self.last
    }

    /// How many activities and steps are open.
    #[must_use]
    pub fn open_tasks(&self) -> usize {
        self.activities.len() + self.steps.len()
    }

    /// Whether a task of this item is open.
    #[must_use]
    pub fn is_open(&self, item: EventId) -> bool {
        self.activities.contains_key(&item)
            || self.timers.contains_key(&item)
            || self.steps.contains_key(&item)
    }

    /// Follows one event.
    ///
    /// # Errors
    ///
    /// [`HistoryError`] if it does not fit what came before; nothing is followed after that.
    pub fn apply(&mut self, event: &Event) -> Result<(), HistoryError> {
        let fail = |problem: String| HistoryError { id: event.id, problem };
        if event.id != self.last.next() {
            return Err(fail(format!("event {} is missing", self.last.next())));
        }
        if event.at < self.at {
            return Err(fail(format!(
                "its time {} is before that of the event before it, {}",
                event.at, self.at
            )));
        }
        let started = matches!(event.kind, EventKind::WorkflowStarted(_));
        self.state = match (self.state, started, event.kind.role()) {
            (RunState::Empty, true, _) | (RunState::Open, false, Role::Input | Role::Command) => {
                RunState::Open
            }
            (RunState::Open, false, Role::Close) => RunState::Closed,
            (RunState::Empty, false, _) => {
                return Err(fail("the first event is not WorkflowStarted".to_owned()));
            }
            (RunState::Open, true, _) => return Err(fail("WorkflowStarted a second time".to_owned())),
            (RunState::Closed, _, _) => return Err(fail(format!("{} after the end", event.kind.name()))),
        };
        self.route(event).map_err(fail)?;
        (self.last, self.at) = (event.id, event.at);
        Ok(())
    }

    fn route(&mut self, event: &Event) -> Result<(), String> {
        let kind = &event.kind;
        match kind {
            EventKind::ActivityScheduled(_) => {
                self.activities.insert(event.id, ActivityState::Scheduled);
                Ok(())
            }
            EventKind::TimerStarted(_) => {
                self.timers.insert(event.id, TimerState::Started);
                Ok(())
            }
            EventKind::StepStarted(_) => {
                self.steps.insert(event.id, StepState::Started);
                Ok(())
            }
            EventKind::CompensationStarted(started) => {
                match self.sagas.insert(started.saga, CompensationState::Started) {
                    None => Ok(()),
                    Some(_) => Err(format!("saga {} unwinds a second time", started.saga)),
                }
            }
            EventKind::ActivityCancelRequested(e) => self.activity(e.scheduled, kind),
            EventKind::ActivityCompleted(e) => self.activity(e.scheduled, kind),
            EventKind::ActivityFailed(e) => self.activity(e.scheduled, kind),
            EventKind::ActivityTimedOut(e) => self.activity(e.scheduled, kind),
            EventKind::ActivityCancelled(e) => self.activity(e.scheduled, kind),
            EventKind::TimerFired(e) => close(&mut self.timers, e.started, kind, TimerState::apply),
            EventKind::TimerCancelled(e) => close(&mut self.timers, e.started, kind, TimerState::apply),
            EventKind::StepCompleted(e) => close(&mut self.steps, e.started, kind, StepState::apply),
            EventKind::StepFailed(e) => close(&mut self.steps, e.started, kind, StepState::apply),
            EventKind::CompensationFinished(e) => {
                close(&mut self.sagas, e.saga, kind, CompensationState::apply)
            }
            EventKind::CancelRequested(e) => {
                let seen = &mut self.cancels[usize::from(e.cause.is_imposed())];
                if std::mem::replace(seen, true) {
                    Err("the same kind of cancel twice".to_owned())
                } else {
                    Ok(())
                }
            }
            EventKind::OperatorDecided(_) if self.sagas.is_empty() => {
                Err("a decision, although no saga unwinds".to_owned())
            }
            EventKind::OperatorDecided(_)
            | EventKind::WorkflowStarted(_)
            | EventKind::SideEffectRecorded(_)
            | EventKind::WorkflowCompleted(_)
            | EventKind::WorkflowFailed(_)
            | EventKind::WorkflowCancelled(_)
            | EventKind::WorkflowTimedOut(_)
            | EventKind::WorkflowTerminated(_) => Ok(()),
        }
    }

    fn activity(&mut self, id: EventId, kind: &EventKind) -> Result<(), String> {
        let state = self.activities.get(&id).ok_or_else(|| not_open(id, kind))?;
        let state = state.apply(kind).map_err(|error| error.to_string())?;
        if state.is_open() {
            self.activities.insert(id, state);
        } else {
            self.activities.remove(&id);
        }
        Ok(())
    }
}

/// Applies an event after which nothing of the item is open.
fn close<K: Ord + Copy + std::fmt::Display, S: Copy>(
    open: &mut BTreeMap<K, S>,
    key: K,
    kind: &EventKind,
    apply: fn(S, &EventKind) -> Result<S, IllegalEvent>,
) -> Result<(), String> {
    let state = open.remove(&key).ok_or_else(|| not_open(key, kind))?;
    apply(state, kind).map(|_| ()).map_err(|error| error.to_string())
}

fn not_open(key: impl std::fmt::Display, kind: &EventKind) -> String {
    format!("{} for {key}, which is not open", kind.name())
}
