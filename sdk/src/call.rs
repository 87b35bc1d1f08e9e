//! One call of an activity: builder and future in one.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use steadfast_core::exec::{ActivityCallSpec, Outcome, UndoSpec};
use steadfast_core::{CallError, CircuitBreaker, EventId, QueueName, RetryPolicy};

use crate::activity::{Activity, StubFn};
use crate::data::Data;
use crate::error::{ActivityError, FailedCall};
use crate::failure::Failure;
use crate::pending::Pending;
use crate::private::{self, Undoes};
use crate::scope::{Scope, ScopeHandle};

/// Who lets the undo of a step run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UndoMode {
    /// The saga.
    #[default]
    Auto,
    /// An operator: the undo waits for approval, after the automatic ones have run.
    Operator,
}

/// A call of the activity `A`. Made by the activity's own function; await it for the result.
///
/// Nothing is scheduled before the first poll; until then the call can be told more than its declaration says. It is
/// owned and `Unpin`, so it can be kept, collected for [`join_all`](crate::join_all), or polled by reference in
/// [`select!`](crate::select).
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn charge(user: String, cents: u64) -> Result<u64, AnyFailure> { Ok(cents) }
/// # async fn pay(ctx: &WorkflowContext) -> Result<(), WorkflowError> {
/// let payment = charge(ctx, "ann".to_owned(), 500)
///     .retry(RetryPolicy::exponential(secs(1)).maximum_interval(secs(60)))
///     .schedule_to_close(hours(1))
///     .await?;
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// [`ActivityError`] with the activity's own error inside.
///
/// # Cancellation
///
/// Dropping a call that was polled cancels the activity. If its scope is cancelled the activity is asked to end, and
/// the call gives [`ActivityError::Cancelled`] once that is recorded, or the result if it succeeded all the same. A
/// call in a scope that is cancelled already gives `Cancelled` at once and records nothing.
#[must_use = "an activity call does nothing until it is awaited"]
pub struct ActivityCall<A: Activity> {
    scope: ScopeHandle,
    pending: Pending<Box<ActivityCallSpec>>,
    activity: PhantomData<fn() -> A>,
}

impl<A: Activity> ActivityCall<A> {
    #[track_caller]
    pub(crate) fn new(scope: &dyn Scope, input: &A::Input) -> Self {
        let spec = ActivityCallSpec {
            activity: private::activity_name(A::NAME),
            input: input.to_payload(),
            idempotency_key: A::key(input),
            options: private::options::<A>(input),
            undo: A::undo(),
            call_site: Location::caller(),
        };
        Self { scope: scope.handle(), pending: Pending::New(Box::new(spec)), activity: PhantomData }
    }

    /// Changes what is not scheduled yet.
    fn with(mut self, change: impl FnOnce(&mut ActivityCallSpec)) -> Self {
        if let Pending::New(spec) = &mut self.pending {
            change(spec);
        }
        self
    }

    /// Sends the call to another task queue than the workflow's.
    ///
    /// # Panics
    ///
    /// If `queue` is empty, blank, or longer than 1,000 bytes.
    #[track_caller]
    pub fn queue(self, queue: impl AsRef<str>) -> Self {
        let queue = QueueName::new(queue);
        #[expect(clippy::expect_used, reason = "documented: a queue without a name is a programming error")]
        let queue = queue.expect("the name of a task queue");
        self.with(|spec| spec.options.queue = Some(queue))
    }

    /// How long one attempt may take.
    pub fn start_to_close(self, limit: Duration) -> Self {
        self.with(|spec| spec.options.start_to_close = Some(limit))
    }

    /// How long the first attempt may wait to begin.
    pub fn schedule_to_start(self, limit: Duration) -> Self {
        self.with(|spec| spec.options.schedule_to_start = Some(limit))
    }

    /// How long all attempts together may take.
    pub fn schedule_to_close(self, limit: Duration) -> Self {
        self.with(|spec| spec.options.schedule_to_close = Some(limit))
    }

    /// How long an attempt may be silent before it counts as lost.
    pub fn heartbeat(self, limit: Duration) -> Self {
        self.with(|spec| spec.options.heartbeat = Some(limit))
    }

    /// When to try again.
    pub fn retry(self, policy: RetryPolicy) -> Self {
        self.with(|spec| spec.options.retry = Some(policy))
    }

    /// When attempts are held back because those before them failed. It takes the place of what the declaration says,
    /// its key included.
    pub fn circuit_breaker(self, breaker: CircuitBreaker) -> Self {
        self.with(|spec| spec.options.circuit_breaker = Some(breaker))
    }

    /// How long a cancelled body may go on before its future is dropped.
    pub fn cancel_grace(self, grace: Duration) -> Self {
        self.with(|spec| spec.options.cancel_grace = Some(grace))
    }

    /// The key that makes all attempts one effect outside; without it the run makes one.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.with(|spec| spec.idempotency_key = Some(key.into()))
    }

    /// The activity that undoes this call, if it is a step of a saga.
    pub fn compensate<M, F>(self, _undo: F) -> Self
    where
        F: StubFn<M>,
        <F::Activity as Activity>::Input: Undoes<A::Input, A::Output>,
    {
        self.with(|spec| {
            let by_operator = spec.undo.as_ref().is_some_and(|undo| undo.by_operator);
            spec.undo = Some(UndoSpec { by_operator, ..private::undo_spec::<F::Activity>() });
        })
    }

    /// Who lets the undo of this call run, if it is a step of a saga and has one. After
    /// [`compensate`](Self::compensate), if that is said at the call too.
    pub fn undo(self, mode: UndoMode) -> Self {
        self.with(|spec| {
            if let Some(undo) = &mut spec.undo {
                undo.by_operator = mode == UndoMode::Operator;
            }
        })
    }

    fn finish(outcome: Outcome, scheduled: Option<EventId>) -> Result<A::Output, ActivityError<A::Error>> {
        typed(outcome, || FailedCall { name: A::NAME.to_owned(), scheduled })
    }
}

/// The typed form of an outcome of an activity or a step.
pub(crate) fn typed<T: Data, E: Failure>(
    outcome: Outcome,
    call: impl FnOnce() -> FailedCall,
) -> Result<T, ActivityError<E>> {
    let error = match outcome {
        Outcome::Completed(output) => match T::from_payload(&output) {
            Ok(output) => return Ok(output),
            Err(error) => CallError::Result(error.0),
        },
        Outcome::Failed(error) => error,
        Outcome::Fired => CallError::Result("it is the outcome of a timer".to_owned()),
    };
    Err(ActivityError::from_call(error, call()))
}

impl<A: Activity> Future for ActivityCall<A> {
    type Output = Result<A::Output, ActivityError<A::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let (context, saga) = (&me.scope.context, me.scope.saga.as_ref());
        let polled = me.pending.poll(cx, |spec| context.start_activity(*spec, saga));
        polled.map(|(outcome, scheduled)| Self::finish(outcome, scheduled))
    }
}

impl<A: Activity> fmt::Debug for ActivityCall<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActivityCall").field("activity", &A::NAME).finish_non_exhaustive()
    }
}
