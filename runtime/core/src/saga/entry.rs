//! What a saga will undo, in the order in which it came about.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use crate::error::WorkflowError;
use crate::exec::{RunContext, StepRecord};

/// An undo that is code of the workflow's own.
pub(crate) type OwnUndo =
    Box<dyn FnOnce(RunContext) -> Pin<Box<dyn Future<Output = Result<(), WorkflowError>>>>>;

/// One entry; the newest is undone first.
pub(crate) enum Entry {
    Step(Rc<StepRecord>),
    Own(OwnUndo),
}

impl Entry {
    pub(crate) fn step(&self) -> Option<&Rc<StepRecord>> {
        match self {
            Self::Step(step) => Some(step),
            Self::Own(_) => None,
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
            *step.waiter.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
