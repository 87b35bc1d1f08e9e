//! A body whose panics end its attempt and nothing else.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use steadfast_core::panics::end_panic;
use steadfast_core::{AttemptError, Payload};

use crate::activity::ActivityContext;
use crate::message::Body;

type BodyFuture = BoxFuture<'static, Result<Payload, AttemptError>>;

/// The future of a body, from its making to its drop.
pub(crate) struct Contained(Option<BodyFuture>, Option<AttemptError>);

impl Contained {
    /// Calls the body. A panic while the future is made is that of its first poll.
    pub(crate) fn new(body: &Body, context: ActivityContext, input: Payload) -> Self {
        let made = catch_unwind(AssertUnwindSafe(|| match body {
            Body::Activity(body) => body(context, input),
            Body::Step(body) => body(),
        }));
        match made {
            Ok(future) => Self(Some(future), None),
            Err(payload) => Self(None, Some(panicked(payload))),
        }
    }

    fn end(&mut self) {
        let future = self.0.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(future))) {
            let message = end_panic(payload);
            tracing::warn!(%message, "a destructor panicked while an activity's body was dropped");
        }
    }
}

impl Future for Contained {
    type Output = Result<Payload, AttemptError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(error) = self.1.take() {
            return Poll::Ready(Err(error));
        }
        let Some(future) = self.0.as_mut() else { return Poll::Pending };
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx)));
        let result = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(payload) => Err(panicked(payload)),
        };
        self.end();
        Poll::Ready(result)
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        self.end();
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> AttemptError {
    AttemptError::Panic { message: end_panic(payload) }
}
