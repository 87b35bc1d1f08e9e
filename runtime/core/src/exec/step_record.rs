//! How items end, and what a saga remembers of its steps.

use std::cell::{Cell, RefCell};
use std::task::Waker;

use super::call::{Scheduled, UndoSpec};
use crate::failure::{Effect, Severity};
use crate::history::{AttemptSummary, CallSite};
use crate::id::{EventId, IdempotencyKey};
use crate::payload::Payload;

/// What an input says of an activity or a step that is over, besides its outcome.
pub(crate) struct Ended {
    pub(crate) effect: Effect,
    /// How many attempts there were, those of earlier calls under the same key included.
    pub(crate) attempts: u32,
    /// How loudly its failures asked for people.
    pub(crate) severity: Option<Severity>,
}

impl Ended {
    pub(crate) fn of(attempts: &AttemptSummary) -> Self {
        let severity = attempts.failures.iter().filter_map(|failure| failure.error.severity()).max();
        Self { effect: attempts.effect, attempts: attempts.attempt, severity }
    }
}

/// How a step of a saga ended.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    /// What it returned, if it succeeded.
    pub(crate) output: Option<Payload>,
    pub(crate) effect: Effect,
    pub(crate) severity: Option<Severity>,
}

/// What a saga remembers of one of its steps.
#[derive(Debug)]
pub(crate) struct StepRecord {
    pub(crate) id: EventId,
    pub(crate) input: Payload,
    pub(crate) key: IdempotencyKey,
    pub(crate) undo: Option<UndoSpec>,
    pub(crate) call_site: CallSite,
    /// How it ended, once it is over.
    pub(crate) settled: RefCell<Option<Settled>>,
    /// The result reached the code.
    pub(crate) delivered: Cell<bool>,
    /// The future was dropped before the result reached the code.
    pub(crate) dropped: Cell<bool>,
    /// Who waits for it to be over, in the order in which they began to.
    pub(crate) waiters: RefCell<Vec<Waker>>,
}

impl StepRecord {
    pub(crate) fn new(scheduled: Scheduled, undo: Option<UndoSpec>) -> Self {
        let Scheduled { id, input, key, call_site } = scheduled;
        Self {
            id,
            input,
            key,
            undo,
            call_site,
            settled: RefCell::new(None),
            delivered: Cell::new(false),
            dropped: Cell::new(false),
            waiters: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.settled.borrow().is_some()
    }

    /// The undo to run, if the step may have had an effect.
    pub(crate) fn needed_undo(&self) -> Option<&UndoSpec> {
        let none = self.settled.borrow().as_ref().is_some_and(|settled| settled.effect == Effect::None);
        self.undo.as_ref().filter(|_| !none)
    }
}
