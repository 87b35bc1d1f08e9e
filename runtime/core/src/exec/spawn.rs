//! Concurrency inside a run: tasks that are polled in the order in which they were woken.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use pin_project::pin_project;

use super::context::RunContext;
use super::tasks::TaskRole;

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// Waits for the value of a spawned task. Dropping it lets the task go on.
///
/// A task that is not over when the main function ends is dropped with it; then this waits for ever.
#[must_use = "await the task, or drop the handle to let it go on by itself"]
pub struct Spawned<T> {
    slot: Rc<RefCell<Slot<T>>>,
}

impl<T> std::fmt::Debug for Spawned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spawned").finish_non_exhaustive()
    }
}

impl<T> Future for Spawned<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut slot = self.slot.borrow_mut();
        match slot.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A task that leaves its value in a slot.
#[pin_project]
struct Delivering<F: Future> {
    #[pin]
    future: F,
    slot: Rc<RefCell<Slot<F::Output>>>,
}

impl<F: Future> Future for Delivering<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let me = self.project();
        me.future.poll(cx).map(|value| {
            let mut slot = me.slot.borrow_mut();
            slot.value = Some(value);
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        })
    }
}

impl RunContext {
    /// Begins a task of the run. It is first polled after the tasks that wait to be polled already.
    ///
    /// Once the main function is over, and while a run is dropped, the future is dropped at once.
    pub fn spawn<F: Future + 'static>(&self, future: F) -> Spawned<F::Output> {
        self.spawn_as(TaskRole::Spawned, future)
    }

    pub(crate) fn spawn_as<F: Future + 'static>(&self, role: TaskRole, future: F) -> Spawned<F::Output> {
        let slot = Rc::new(RefCell::new(Slot { value: None, waker: None }));
        let task = Delivering { future, slot: Rc::clone(&slot) };
        // What may not begin is dropped here, after the borrow of the tasks has ended.
        drop(self.cell.add_task(role, Box::pin(task)));
        Spawned { slot }
    }
}
