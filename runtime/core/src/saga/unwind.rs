//! Unwinding: open steps are cancelled and awaited, then the undos run, one at a time, newest first; then what waits
//! for an operator.

use std::future::{Future, pending, poll_fn, ready};
use std::rc::Rc;
use std::task::Poll;

use futures::future::Either;

use super::entry::settled;
use super::nested::Stage;
use super::scope::SagaScope;
use super::unwinder::Unwinder;
use crate::exec::TaskRole;
use crate::history::{CompensationFinished, CompensationStarted};

/// What is to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwinding {
    /// Only steps whose result never reached the code.
    Losers,
    /// Everything.
    All,
}

/// Unwinds as a task of the run and waits for it. If the saga unwinds already, the same task does what is asked.
///
/// Unwinding everything, the saga has failed; what runs in it is unwound with it.
pub(super) fn unwind(saga: &SagaScope, what: Unwinding, cause: String) -> impl Future<Output = ()> + use<> {
    if what == Unwinding::All {
        saga.0.stage.set(Stage::Failed);
        saga.take_over();
    }
    if saga.0.unwinding.borrow().is_some() {
        saga.unwind_more(what);
        return Either::Left(ready(()));
    }
    let nothing = saga
        .0
        .entries
        .borrow()
        .iter()
        .all(|entry| entry.step().is_some_and(|step| step.is_settled() && step.needed_undo().is_none()));
    if nothing {
        // Whoever undoes something further out waits for what unwinds further in.
        saga.hand_over_unwinding();
        return Either::Left(ready(()));
    }
    if let Some(around) = saga.around() {
        around.wait_for([saga.clone()]);
    }
    *saga.0.unwinding.borrow_mut() = Some(what);
    let book = &saga.0.context.cell.sagas;
    book.unwinding.set(book.unwinding.get() + 1);
    book.began.set(true);
    Either::Right(saga.0.context.spawn_as(TaskRole::Unwinding, unwind_all(saga.clone(), cause)))
}

async fn unwind_all(saga: SagaScope, cause: String) {
    let cell = Rc::clone(&saga.0.context.cell);
    let number = saga.0.number;
    let Ok(began) = cell.record_only(CompensationStarted { saga: number, cause }) else {
        return pending().await;
    };
    for step in saga.steps() {
        if !step.is_settled() {
            cell.cancel_item(step.id);
        }
    }
    settled(saga.steps()).await;
    let mut unwinder = Unwinder::new(&saga, began);
    unwinder.run().await;
    let Unwinder { undone, failed, .. } = unwinder;
    let book = &cell.sagas;
    book.undone.set(book.undone.get() + undone);
    book.failed.borrow_mut().extend(failed.iter().cloned());
    book.unwinding.set(book.unwinding.get().saturating_sub(1));
    *saga.0.unwinding.borrow_mut() = None;
    if let Some(waker) = saga.0.waiter.borrow_mut().take() {
        waker.wake();
    }
    if cell.record_only(CompensationFinished { saga: number, undone, failed }).is_err() {
        pending::<()>().await;
    }
}

impl SagaScope {
    /// The saga unwinds already: there is more to undo than before.
    pub(super) fn unwind_more(&self, what: Unwinding) {
        *self.0.unwinding.borrow_mut() = Some(what);
        self.0.context.cell.wake_held(self.0.number);
    }
}

/// Waits until a saga unwinds no more.
pub(super) async fn ended(saga: &SagaScope) {
    poll_fn(|cx| {
        if saga.0.unwinding.borrow().is_none() {
            return Poll::Ready(());
        }
        *saga.0.waiter.borrow_mut() = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
}
