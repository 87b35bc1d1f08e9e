//! What a saga will undo, in the order in which it came about.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use crate::error::WorkflowError;
use crate::exec::{RunContext, StepRecord};
use crate::id::EventId;

/// An undo that is code of the workflow's own.
pub(crate) type OwnUndo =
    Box<dyn FnOnce(RunContext) -> Pin<Box<dyn Future<Output = Result<(), WorkflowError>>>>>;

/// Where an entry stands among those of all sagas of the run: the event of a step; for the workflow's own code the last
/// event before it was registered, and its number.
pub(crate) type Place = (EventId, u32);

/// One entry; the newest is undone first.
pub(crate) enum Entry {
    Step(Rc<StepRecord>),
    Own(Place, OwnUndo),
}

impl Entry {
    pub(crate) fn step(&self) -> Option<&Rc<StepRecord>> {
        match self {
            Self::Step(step) => Some(step),
            Self::Own(..) => None,
        }
    }

    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Step(step) => (step.id, 0),
            Self::Own(place, _) => *place,
        }
    }
}

/// Waits until each of the steps is over.
pub(crate) async fn settled(steps: Vec<Rc<StepRecord>>) {
    for step in steps {
        poll_fn(|cx| {
            if step.is_settled() {
                return Poll::Ready(());
            }
            let mut waiters = step.waiters.borrow_mut();
            if !waiters.iter().any(|waiter| waiter.will_wake(cx.waker())) {
                waiters.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}
