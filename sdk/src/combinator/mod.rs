//! Waiting for several futures at once, in an order that is the same at every replay.
//!
//! **Invariant**: children are polled in the order written; after the first time, only those that were woken are, and
//! in the order of their wakes ([`join_all`], [`try_join_all`]) or in the order written (the macros).

mod join_all;
mod tuple;
mod woken;

pub use self::join_all::{JoinAll, TryJoinAll, join_all, try_join_all};
#[doc(hidden)]
pub use self::tuple::{JoinTuple, TryJoinTuple, join_tuple, try_join_tuple};

/// Waits for all of up to eight futures and gives their values as a tuple.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
/// # async fn w(ctx: WorkflowContext) -> Result<(), WorkflowError> {
/// let (first, second) = join!(ping(&ctx, 1), ping(&ctx, 2));
/// let sum = first? + second?;
/// # let _ = sum; Ok(()) }
/// ```
#[macro_export]
macro_rules! join {
    ($($future:expr),+ $(,)?) => {
        $crate::__private::join_tuple(($(::core::future::IntoFuture::into_future($future),)+)).await
    };
}

/// Waits for all of up to eight futures that give a `Result`. The first error ends it: the others are dropped, which
/// cancels their calls. Every error becomes a [`WorkflowError`](crate::WorkflowError), so the futures may have
/// different ones.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
/// # async fn w(ctx: WorkflowContext) -> Result<(), WorkflowError> {
/// let (pong, ()) = try_join!(ping(&ctx, 1), ctx.sleep(secs(1)))?;
/// # let _ = pong; Ok(()) }
/// ```
#[macro_export]
macro_rules! try_join {
    ($($future:expr),+ $(,)?) => {
        $crate::__private::try_join_tuple(($(::core::future::IntoFuture::into_future($future),)+)).await
    };
}

#[cfg(test)]
mod tests;
