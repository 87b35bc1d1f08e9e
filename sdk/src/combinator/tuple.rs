//! All of a tuple of futures: what [`join!`](crate::join) and [`try_join!`](crate::try_join) wait for.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use crate::error::WorkflowError;

/// A future, or the value that it gave.
enum MaybeDone<F: Future> {
    Going(Pin<Box<F>>),
    Over(F::Output),
    Taken,
}

impl<F: Future> MaybeDone<F> {
    fn new(future: F) -> Self {
        Self::Going(Box::pin(future))
    }

    /// Whether it is over, after a poll if it was not.
    fn is_over(&mut self, cx: &mut std::task::Context<'_>) -> bool {
        let Self::Going(future) = self else { return true };
        let Poll::Ready(output) = future.as_mut().poll(cx) else { return false };
        *self = Self::Over(output);
        true
    }

    fn take(&mut self) -> F::Output {
        match std::mem::replace(self, Self::Taken) {
            Self::Over(output) => output,
            #[expect(clippy::unreachable, reason = "values are taken once, after all futures are over")]
            Self::Going(_) | Self::Taken => unreachable!("a value is taken once"),
        }
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> MaybeDone<F> {
    /// The error, if it is over with one.
    fn take_error(&mut self) -> Option<E> {
        if !matches!(self, Self::Over(Err(_))) {
            return None;
        }
        self.take().err()
    }
}

/// Futures that can be joined.
#[diagnostic::on_unimplemented(
    message = "`join!` waits for one to eight futures",
    label = "this is not a tuple of futures"
)]
pub trait JoinTuple {
    /// Their values.
    type Output;
    /// Waits for all of them.
    fn join(self) -> impl Future<Output = Self::Output>;
}

/// Futures that can be joined until one fails.
#[diagnostic::on_unimplemented(
    message = "`try_join!` waits for one to eight futures that give a `Result`",
    label = "this is not a tuple of such futures"
)]
pub trait TryJoinTuple {
    /// Their values.
    type Output;
    /// Waits for all of them, or for the first error.
    fn try_join(self) -> impl Future<Output = Result<Self::Output, WorkflowError>>;
}

/// What `join!` expands to.
pub fn join_tuple<T: JoinTuple>(futures: T) -> impl Future<Output = T::Output> {
    futures.join()
}

/// What `try_join!` expands to.
pub fn try_join_tuple<T: TryJoinTuple>(futures: T) -> impl Future<Output = Result<T::Output, WorkflowError>> {
    futures.try_join()
}

macro_rules! tuples {
    ($(($($future:ident $value:ident $error:ident),+))*) => {$(
        impl<$($future: Future),+> JoinTuple for ($($future,)+) {
            type Output = ($($future::Output,)+);

            #[expect(non_snake_case, reason = "each future is named like its type")]
            async fn join(self) -> Self::Output {
                let ($($future,)+) = self;
                $(let mut $future = MaybeDone::new($future);)+
                poll_fn(move |cx| {
                    let mut all_over = true;
                    $(all_over &= $future.is_over(cx);)+
                    if all_over { Poll::Ready(($($future.take(),)+)) } else { Poll::Pending }
                })
                .await
            }
        }

        impl<$($future, $value, $error),+> TryJoinTuple for ($($future,)+)
        where
            $($future: Future<Output = Result<$value, $error>>, $error: Into<WorkflowError>,)+
        {
            type Output = ($($value,)+);

            #[expect(non_snake_case, reason = "each future is named like its type")]
            async fn try_join(self) -> Result<Self::Output, WorkflowError> {
                let ($($future,)+) = self;
                $(let mut $future = MaybeDone::new($future);)+
                poll_fn(move |cx| {
                    let mut all_over = true;
                    $(
                        all_over &= $future.is_over(cx);
                        if let Some(error) = $future.take_error() {
                            return Poll::Ready(Err(error.into()));
                        }
                    )+
                    if !all_over {
                        return Poll::Pending;
                    }
                    Poll::Ready((|| Ok(($($future.take().map_err(Into::into)?,)+)))())
                })
                .await
            }
        }
    )*};
}

tuples! {
    (F1 T1 E1)
    (F1 T1 E1, F2 T2 E2)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3, F4 T4 E4)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3, F4 T4 E4, F5 T5 E5)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3, F4 T4 E4, F5 T5 E5, F6 T6 E6)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3, F4 T4 E4, F5 T5 E5, F6 T6 E6, F7 T7 E7)
    (F1 T1 E1, F2 T2 E2, F3 T3 E3, F4 T4 E4, F5 T5 E5, F6 T6 E6, F7 T7 E7, F8 T8 E8)
}
