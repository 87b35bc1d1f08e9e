//! What a call waits for: an open activity, step or timer, and the outcome that an input brings.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::cell::RunCell;
use super::executor::StepBody;
use super::scope::ScopeNode;
use super::step_record::{Ended, Settled, StepRecord};
use crate::error::CallError;
use crate::failure::Effect;
use crate::history::{ActivityCancelRequested, TimerCancelled};
use crate::id::EventId;
use crate::payload::Payload;

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// An activity or a step returned this.
    Completed(Payload),
    /// The timer fired.
    Fired,
    /// It did not succeed.
    Failed(CallError),
}

impl Outcome {
    /// The outcome of a call whose scope was cancelled.
    pub(crate) const CANCELLED: Self = Self::Failed(CallError::Cancelled);
}

/// What kind of thing is open.
pub(crate) enum ItemKind {
    /// `attempts` is told when it is over.
    Activity {
        cancel_requested: bool,
        attempts: Rc<Cell<u32>>,
    },
    Step(StepBody),
    Timer,
}

pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) scope: Rc<ScopeNode>,
    /// The outcome, once an input brought it.
    pub(crate) outcome: Option<Outcome>,
    /// Whom the outcome wakes.
    pub(crate) waker: Option<Waker>,
    /// The future was dropped: the outcome reaches nobody.
    pub(crate) abandoned: bool,
    /// The saga's own record of it.
    pub(crate) step: Option<Rc<StepRecord>>,
}

impl RunCell {
    /// An input brought the outcome of an item.
    pub(crate) fn resolve(&self, id: EventId, outcome: Outcome, ended: &Ended) {
        let mut items = self.items.borrow_mut();
        let Some(item) = items.get_mut(&id) else { return };
        if let ItemKind::Activity { attempts, .. } = &item.kind {
            attempts.set(ended.attempts);
        }
        if let Some(step) = &item.step {
            let output = match &outcome {
                Outcome::Completed(payload) => Some(payload.clone()),
                Outcome::Fired | Outcome::Failed(_) => None,
            };
            let Ended { effect, severity, .. } = *ended;
            *step.settled.borrow_mut() = Some(Settled { output, effect, severity });
            if effect == Effect::None {
                self.sagas.registered.borrow_mut().remove(&step.id);
            }
            for waker in step.waiters.take() {
                waker.wake();
            }
        }
        if item.abandoned {
            items.remove(&id);
        } else {
            item.outcome = Some(outcome);
            if let Some(waker) = item.waker.take() {
                waker.wake();
            }
        }
    }

    /// Issues the cancel of one open item, if that is possible and was not done.
    pub(crate) fn cancel_item(&self, id: EventId) {
        let mut items = self.items.borrow_mut();
        let Some(item) = items.get_mut(&id).filter(|item| item.outcome.is_none()) else { return };
        match &mut item.kind {
            ItemKind::Activity { cancel_requested, .. } => {
                if !std::mem::replace(cancel_requested, true) {
                    drop(items);
                    let _ = self.record_only(ActivityCancelRequested { scheduled: id });
                }
            }
            ItemKind::Timer => {
                let abandoned = item.abandoned;
                if abandoned {
                    items.remove(&id);
                } else {
                    item.outcome = Some(Outcome::CANCELLED);
                    if let Some(waker) = item.waker.take() {
                        waker.wake();
                    }
                }
                drop(items);
                let _ = self.record_only(TimerCancelled { started: id });
            }
            ItemKind::Step(_) => {}
        }
    }

    /// Cancels a scope: first the cancel of everything open in it, in order of creation, then the waits.
    pub(crate) fn cancel_scope(&self, scope: &Rc<ScopeNode>) {
        if self.is_halted() || !scope.mark_cancelled() {
            return;
        }
        let open: Vec<EventId> = self
            .items
            .borrow()
            .iter()
            .filter(|(_, item)| item.outcome.is_none() && item.scope.is_within(scope))
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            self.cancel_item(id);
        }
        for (waiting, waker) in self.cancel_waits.borrow().values() {
            if waiting.is_within(scope) {
                waker.wake_by_ref();
            }
        }
    }

    fn abandon(&self, id: EventId) {
        if self.is_halted() {
            return;
        }
        {
            let mut items = self.items.borrow_mut();
            let Some(item) = items.get_mut(&id) else { return };
            if let Some(step) = &item.step {
                step.dropped.set(true);
            }
            if item.outcome.is_some() {
                items.remove(&id);
                return;
            }
            item.abandoned = true;
            item.waker = None;
        }
        self.cancel_item(id);
    }
}

/// Waits for the outcome of one open item. Dropping it unfinished cancels the item, except while a run is dropped.
///
/// `Unpin`; after it has given its outcome it must not be polled again.
#[must_use = "a call does nothing until it is awaited"]
#[derive(Debug)]
pub struct ItemFuture {
    cell: Rc<RunCell>,
    id: EventId,
    delivered: bool,
}

impl ItemFuture {
    pub(crate) fn new(cell: Rc<RunCell>, id: EventId) -> Self {
        Self { cell, id, delivered: false }
    }

    /// The event that opened the item.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.id
    }
}

impl Future for ItemFuture {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let me = &mut *self;
        if me.cell.is_halted() {
            return Poll::Pending;
        }
        let mut items = me.cell.items.borrow_mut();
        #[expect(
            clippy::expect_used,
            reason = "an item leaves the table only with its outcome or its future"
        )]
        let item = items.get_mut(&me.id).expect("polled again after its outcome");
        let Some(outcome) = item.outcome.take() else {
            item.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        if let Some(step) = &item.step {
            step.delivered.set(true);
        }
        items.remove(&me.id);
        me.delivered = true;
        Poll::Ready(outcome)
    }
}

impl Drop for ItemFuture {
    fn drop(&mut self) {
        if !self.delivered {
            self.cell.abandon(self.id);
        }
    }
}
