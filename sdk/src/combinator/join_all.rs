//! All of a collection of futures.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::woken::Woken;
use crate::error::WorkflowError;

/// Waits for all of `futures` and gives their values in the order of the futures.
///
/// A completion among n costs O(1): only the child that was woken is polled.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
/// # async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
/// let mut sum = 0;
/// for pong in join_all((0..1_000).map(|n| ping(&ctx, n))).await {
///     sum += pong?;
/// }
/// # Ok(sum) }
/// ```
pub fn join_all<I>(futures: I) -> JoinAll<<I::Item as IntoFuture>::IntoFuture>
where
    I: IntoIterator<Item: IntoFuture>,
{
    JoinAll { children: Children::new(futures) }
}

/// Waits for all of `futures`, which give a `Result`. The first error ends it: the others are dropped, which cancels
/// their calls.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
/// # async fn w(ctx: WorkflowContext) -> Result<Vec<u64>, WorkflowError> {
/// let pongs = try_join_all((0..10).map(|n| ping(&ctx, n))).await?;
/// # Ok(pongs) }
/// ```
///
/// # Errors
///
/// The first error that is seen, as a [`WorkflowError`].
pub fn try_join_all<I, T, E>(futures: I) -> TryJoinAll<<I::Item as IntoFuture>::IntoFuture, T>
where
    I: IntoIterator<Item: IntoFuture<Output = Result<T, E>>>,
    E: Into<WorkflowError>,
{
    TryJoinAll { children: Children::new(futures) }
}

/// The futures of one join: `F`, with the values `T` of those that are over.
struct Children<F, T> {
    slots: Vec<Slot<F, T>>,
    woken: Arc<Woken>,
    going: usize,
}

enum Slot<F, T> {
    Going { future: Pin<Box<F>>, waker: Waker },
    Over(T),
    Taken,
}

impl<F: Future, T> Children<F, T> {
    fn new<I>(futures: I) -> Self
    where
        I: IntoIterator<Item: IntoFuture<IntoFuture = F>>,
    {
        let futures: Vec<_> = futures.into_iter().map(|future| Box::pin(future.into_future())).collect();
        let woken = Woken::all(futures.len());
        let going = futures.len();
        let slots = futures
            .into_iter()
            .enumerate()
            .map(|(child, future)| Slot::Going { future, waker: woken.waker(child) })
            .collect();
        Self { slots, woken, going }
    }

    /// Polls the children that were woken; `keep` turns what one gives into its value, or ends the join.
    fn poll<E>(
        &mut self,
        cx: &mut Context<'_>,
        mut keep: impl FnMut(F::Output) -> Result<T, E>,
    ) -> Poll<Result<Vec<T>, E>> {
        for child in self.woken.take(cx.waker()) {
            let slot = &mut self.slots[child];
            let Slot::Going { future, waker } = slot else { continue };
            let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(waker)) else { continue };
            *slot = Slot::Taken;
            self.going -= 1;
            match keep(output) {
                Ok(value) => self.slots[child] = Slot::Over(value),
                Err(error) => {
                    self.slots.clear();
                    return Poll::Ready(Err(error));
                }
            }
        }
        if self.going > 0 {
            return Poll::Pending;
        }
        let values = std::mem::take(&mut self.slots).into_iter();
        Poll::Ready(Ok(values
            .filter_map(|slot| match slot {
                Slot::Over(value) => Some(value),
                Slot::Going { .. } | Slot::Taken => None,
            })
            .collect()))
    }
}

/// The future of [`join_all`]. `Unpin`.
#[must_use = "a join does nothing until it is awaited"]
pub struct JoinAll<F: Future> {
    children: Children<F, F::Output>,
}

impl<F: Future> Unpin for JoinAll<F> {}

impl<F: Future> Future for JoinAll<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.children.poll(cx, Ok::<_, std::convert::Infallible>);
        polled.map(|values| match values {
            Ok(values) => values,
            Err(never) => match never {},
        })
    }
}

impl<F: Future> fmt::Debug for JoinAll<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinAll").field("going", &self.children.going).finish_non_exhaustive()
    }
}

/// The future of [`try_join_all`]. `Unpin`.
#[must_use = "a join does nothing until it is awaited"]
pub struct TryJoinAll<F, T> {
    children: Children<F, T>,
}

impl<F, T> Unpin for TryJoinAll<F, T> {}

impl<F, T, E> Future for TryJoinAll<F, T>
where
    F: Future<Output = Result<T, E>>,
    E: Into<WorkflowError>,
{
    type Output = Result<Vec<T>, WorkflowError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.children.poll(cx, |result| result.map_err(Into::into))
    }
}

impl<F, T> fmt::Debug for TryJoinAll<F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryJoinAll").field("going", &self.children.going).finish_non_exhaustive()
    }
}
