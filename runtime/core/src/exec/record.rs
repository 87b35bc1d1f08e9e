//! Recording commands: appended in live code, compared in replay.

use std::collections::VecDeque;

use super::blocked::{Blocked, Described, Mismatch, describe};
use super::cell::RunCell;
use crate::history::{ClosedBy, Event, EventKind, Role};
use crate::id::EventId;

/// How many matching commands a mismatch report shows.
const MATCHED_SHOWN: usize = 5;

/// The run is being dropped or has a fault: nothing is recorded any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Halted;

/// Where the commands of the present activation go.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// In replay: the commands that the history holds for this activation, not yet issued.
    expected: Option<VecDeque<Event>>,
    /// In replay: the last commands that matched.
    matched: VecDeque<Event>,
    /// Live: the input of this activation and its commands.
    produced: Vec<Event>,
}

impl Recorder {
    pub(crate) fn begin_replay(&mut self, commands: VecDeque<Event>) {
        self.expected = Some(commands);
    }

    pub(crate) fn begin_live(&mut self, input: Event) {
        self.expected = None;
        self.matched.clear();
        self.produced.push(input);
    }

    pub(crate) fn is_replaying(&self) -> bool {
        self.expected.is_some()
    }

    pub(crate) fn take_produced(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.produced)
    }

    /// In replay: the mismatch if the history holds commands that the code did not issue.
    pub(crate) fn missing(&self) -> Option<Mismatch> {
        let event = self.expected.as_ref()?.front()?;
        Some(self.mismatch(event.id, Some(&event.kind), None))
    }

    fn mismatch(&self, event: EventId, recorded: Option<&EventKind>, issued: Option<&EventKind>) -> Mismatch {
        Mismatch {
            event,
            recorded: recorded.map(Described::new),
            issued: issued.map(Described::new),
            matched: self.matched.iter().map(|event| (event.id, describe(&event.kind))).collect(),
        }
    }

    fn remember(&mut self, event: Event) {
        if self.matched.len() == MATCHED_SHOWN {
            self.matched.pop_front();
        }
        self.matched.push_back(event);
    }
}

impl RunCell {
    /// Records a command and reads what is needed of it: in replay, of the recorded one.
    ///
    /// On a mismatch the fault is noted, and from then on nothing is recorded.
    pub(crate) fn record<R>(
        &self,
        kind: EventKind,
        read: impl FnOnce(&EventKind) -> R,
    ) -> Result<(EventId, R), Halted> {
        if self.is_halted() {
            return Err(Halted);
        }
        let id = self.last.get().next();
        let mut recorder = self.recorder.borrow_mut();
        let event = match &mut recorder.expected {
            None => Event { id, at: self.now.get(), kind },
            Some(expected) => match expected.pop_front() {
                Some(event) if same_intent(&event.kind, &kind) => event,
                recorded => {
                    let recorded = recorded.as_ref().map(|event| &event.kind);
                    let mismatch = recorder.mismatch(id, recorded, Some(&kind));
                    drop(recorder);
                    self.fault(Blocked::Mismatch(Box::new(mismatch)));
                    return Err(Halted);
                }
            },
        };
        if let Err(error) = self.machine.borrow_mut().apply(&event) {
            drop(recorder);
            self.fault(Blocked::History(error));
            return Err(Halted);
        }
        self.last.set(id);
        let result = read(&event.kind);
        if recorder.expected.is_some() {
            recorder.remember(event);
        } else {
            recorder.produced.push(event);
        }
        Ok((id, result))
    }

    /// Whether the history says already what this activation issues.
    pub(crate) fn is_replaying(&self) -> bool {
        self.recorder.borrow().is_replaying()
    }

    /// Records a command of which nothing is needed.
    pub(crate) fn record_only(&self, kind: impl Into<EventKind>) -> Result<EventId, Halted> {
        self.record(kind.into(), |_| ()).map(|(id, ())| id)
    }
}

/// Whether two commands decide the same: the fields that each event's documentation calls intent.
fn same_intent(recorded: &EventKind, issued: &EventKind) -> bool {
    match (recorded, issued) {
        (EventKind::ActivityScheduled(a), EventKind::ActivityScheduled(b)) => {
            a.activity == b.activity && a.undoes == b.undoes
        }
        (EventKind::ActivityCancelRequested(a), EventKind::ActivityCancelRequested(b)) => {
            a.scheduled == b.scheduled
        }
        (EventKind::TimerCancelled(a), EventKind::TimerCancelled(b)) => a.started == b.started,
        (EventKind::StepStarted(a), EventKind::StepStarted(b)) => a.name == b.name,
        (EventKind::CompensationStarted(a), EventKind::CompensationStarted(b)) => a.saga == b.saga,
        (EventKind::CompensationFinished(a), EventKind::CompensationFinished(b)) => a.saga == b.saga,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Whether an event was issued by the code: a command, or the end that the code came to.
pub(crate) fn is_issued(kind: &EventKind) -> bool {
    match kind.role() {
        Role::Input => false,
        Role::Command => true,
        Role::Close => kind.closed_by() == Some(ClosedBy::Code),
    }
}
