//! What all calls of a run are: something to begin at the first poll, then something to wait for.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use steadfast_core::EventId;
use steadfast_core::exec::{CallStart, ItemFuture, Outcome};

/// The states of a call.
pub(crate) enum Pending<S> {
    /// Not begun: what it will be.
    New(S),
    /// Recorded; its outcome is awaited.
    Open(ItemFuture),
    /// The run is being dropped from memory: the call never ends.
    Halted,
    /// The outcome was given.
    Over,
}

impl<S> Pending<S> {
    /// Begins the call if that was not done, and waits for its outcome. Gives its event too, if it has one.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        start: impl FnOnce(S) -> CallStart,
    ) -> Poll<(Outcome, Option<EventId>)> {
        if matches!(self, Self::New(_))
            && let Self::New(spec) = std::mem::replace(self, Self::Over)
        {
            match start(spec) {
                CallStart::Open(item) => *self = Self::Open(item),
                CallStart::Refused(error) => return Poll::Ready((Outcome::Failed(error), None)),
                CallStart::Halted => *self = Self::Halted,
            }
        }
        let item = match self {
            Self::Open(item) => item,
            Self::New(_) | Self::Halted => return Poll::Pending,
            #[expect(clippy::panic, reason = "the contract of futures, broken by the caller")]
            Self::Over => panic!("a call was polled again after it had given its result"),
        };
        let Poll::Ready(outcome) = Pin::new(&mut *item).poll(cx) else { return Poll::Pending };
        let scheduled = item.id();
        *self = Self::Over;
        Poll::Ready((outcome, Some(scheduled)))
    }
}
