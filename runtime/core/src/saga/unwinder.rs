//! The undos of one saga, in their order, and the decisions of operators.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::entry::{Entry, OwnUndo, settled};
use super::hold::{Hold, HoldKind};
use super::scope::SagaScope;
use super::undo::StepUndo;
use super::unwind::{Unwinding, ended};
use crate::exec::{RunContext, StepRecord};
use crate::failure::Severity;
use crate::history::{FailedUndo, OperatorDecision};
use crate::id::EventId;

/// What an unwinding does next.
enum Next {
    /// A saga further in unwinds; nothing further out is undone before.
    Wait(SagaScope),
    Undo(Entry),
    Follow(EventId, OperatorDecision),
    End,
}

/// The undos of one saga.
pub(super) struct Unwinder<'a> {
    saga: &'a SagaScope,
    /// A scope that no cancel reaches.
    context: RunContext,
    /// The `CompensationStarted`.
    began: EventId,
    /// An operator let it go on.
    is_approved: bool,
    /// What waits for an operator, by step.
    held: BTreeMap<EventId, StepUndo>,
    pub(super) undone: u32,
    pub(super) failed: Vec<FailedUndo>,
}

impl<'a> Unwinder<'a> {
    pub(super) fn new(saga: &'a SagaScope, began: EventId) -> Self {
        let context = saga.0.context.disconnected();
        Self {
            saga,
            context,
            began,
            is_approved: false,
            held: BTreeMap::new(),
            undone: 0,
            failed: Vec::new(),
        }
    }

    /// Undoes all that is to be undone, and waits for what an operator has to decide.
    pub(super) async fn run(&mut self) {
        loop {
            match poll_fn(|cx| self.next(cx)).await {
                Next::Wait(nested) => ended(&nested).await,
                Next::Undo(Entry::Own(_, own)) => self.run_own(own).await,
                Next::Undo(Entry::Step(step)) => self.undo(step).await,
                Next::Follow(target, decision) => self.follow(target, decision).await,
                Next::End => return,
            }
        }
    }

    fn next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        let number = self.saga.0.number;
        let cell = &self.saga.0.context.cell;
        if let Some(nested) = self.saga.0.unwinding_below.borrow_mut().pop() {
            return Poll::Ready(Next::Wait(nested));
        }
        if self.may_go_on()
            && let Some(entry) = next_entry(self.saga)
        {
            return Poll::Ready(Next::Undo(entry));
        }
        match cell.next_decision(number, cx) {
            Some((target, decision)) => Poll::Ready(Next::Follow(target, decision)),
            None if cell.is_held(number) => Poll::Pending,
            None => Poll::Ready(Next::End),
        }
    }

    /// Nothing is undone while an operator has to approve the whole.
    fn may_go_on(&self) -> bool {
        if self.is_approved {
            return true;
        }
        let asks = |step: &&Rc<StepRecord>| {
            let settled = step.settled.borrow();
            settled.as_ref().is_some_and(|settled| settled.severity >= Some(Severity::Intervene))
        };
        let Some(step) = self.saga.steps().iter().find(asks).map(|step| step.id) else { return true };
        let cell = &self.saga.0.context.cell;
        if !cell.sagas.holds.borrow().contains_key(&self.began) {
            self.hold(self.began, HoldKind::Intervention { step });
        }
        false
    }

    fn hold(&self, target: EventId, kind: HoldKind) {
        self.saga.0.context.cell.hold(Hold { target, saga: self.saga.0.number, kind });
    }

    async fn run_own(&mut self, own: OwnUndo) {
        let result = own(self.context.clone()).await;
        let book = &self.context.cell.sagas;
        book.own.set(book.own.get().saturating_sub(1));
        match result {
            Ok(()) => self.undone += 1,
            Err(error) => self.failed.push(FailedUndo {
                step: None,
                undo: "on_undo".to_owned(),
                attempts: 1,
                error: error.to_string(),
                skipped: None,
            }),
        }
    }

    async fn undo(&mut self, step: Rc<StepRecord>) {
        if !step.is_settled() {
            // It was taken over from another saga while it was open.
            self.context.cell.cancel_item(step.id);
            settled(vec![Rc::clone(&step)]).await;
        }
        let Some(spec) = step.needed_undo().cloned() else { return self.settle(step.id) };
        let by_operator = spec.by_operator;
        let undo = StepUndo::new(step, spec);
        if by_operator {
            let kind = HoldKind::Approval { undo: undo.name() };
            self.put_aside(undo, kind);
        } else {
            self.call(undo).await;
        }
    }

    async fn call(&mut self, mut undo: StepUndo) {
        if undo.run(&self.context, self.saga.number()).await {
            self.settle(undo.step.id);
            self.undone += 1;
        } else if self.saga.0.holds_for_operator.get() {
            let (name, attempts, error) = (undo.name(), undo.attempts, undo.error.clone());
            self.put_aside(undo, HoldKind::FailedUndo { undo: name, attempts, error });
        } else {
            self.give_up(undo, None);
        }
    }

    fn put_aside(&mut self, undo: StepUndo, kind: HoldKind) {
        self.hold(undo.step.id, kind);
        self.held.insert(undo.step.id, undo);
    }

    fn give_up(&mut self, undo: StepUndo, skipped: Option<String>) {
        self.settle(undo.step.id);
        self.failed.push(undo.failed(skipped));
    }

    /// The step is dealt with, one way or the other.
    fn settle(&self, step: EventId) {
        self.context.cell.sagas.registered.borrow_mut().remove(&step);
    }

    /// Does what an operator decided.
    async fn follow(&mut self, target: EventId, decision: OperatorDecision) {
        let Some(undo) = self.held.remove(&target) else {
            self.is_approved = true;
            return;
        };
        match decision {
            OperatorDecision::Retry | OperatorDecision::Approve => self.call(undo).await,
            OperatorDecision::Skip { reason } => self.give_up(undo, Some(reason)),
            OperatorDecision::Answer { .. } => {
                self.settle(undo.step.id);
                self.undone += 1;
            }
        }
    }
}

/// The next entry to undo; what is asked for may have grown meanwhile.
fn next_entry(saga: &SagaScope) -> Option<Entry> {
    let what = (*saga.0.unwinding.borrow()).unwrap_or(Unwinding::All);
    let mut entries = saga.0.entries.borrow_mut();
    match what {
        Unwinding::All => entries.pop(),
        Unwinding::Losers => {
            let index = entries.iter().rposition(SagaScope::is_loser)?;
            Some(entries.remove(index))
        }
    }
}
