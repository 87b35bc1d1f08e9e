//! The saga as its body sees it.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use steadfast_core::SagaScope;
use steadfast_core::exec::RunContext;

use crate::context::WorkflowContext;
use crate::error::WorkflowError;

/// A saga in progress, given to the body of [`WorkflowContext::saga`].
///
/// Activities are called with it, to be its steps. It is no context: what a step of the workflow's own needs, it takes
/// from the context.
#[derive(Debug)]
pub struct Saga {
    pub(crate) scope: SagaScope,
}

impl Saga {
    /// The context in which the saga was begun.
    #[must_use]
    pub fn ctx(&self) -> WorkflowContext {
        WorkflowContext::new(self.scope.context().clone())
    }

    /// Registers code of the workflow's own, to run when the saga unwinds. Its place is after the last step that was
    /// scheduled before it; it gets a context that no cancel reaches.
    ///
    /// If it fails, that is a failed undo without retry; the others still run.
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # #[activity] async fn tell(who: String) -> Result<(), AnyFailure> { let _ = who; Ok(()) }
    /// # async fn w(saga: &Saga) {
    /// saga.on_undo(async |ctx| {
    ///     tell(&ctx, "ann".to_owned()).await?;
    ///     Ok(())
    /// });
    /// # }
    /// ```
    pub fn on_undo(&self, undo: impl AsyncFnOnce(WorkflowContext) -> Result<(), WorkflowError> + 'static) {
        self.scope.on_undo(move |context| {
            let context = WorkflowContext::new(context);
            Box::pin(async move { undo(context).await.map_err(steadfast_core::WorkflowError::from) })
        });
    }

    /// A saga inside this one. If it succeeds, its steps become steps of this one; if it fails, it unwinds by itself,
    /// and its error is this body's to handle.
    ///
    /// # Errors
    ///
    /// The error that the body returned, once everything is undone that could be.
    pub fn saga<'a, T: 'a>(
        &self,
        body: impl AsyncFnOnce(&Saga) -> Result<T, WorkflowError> + 'a,
    ) -> SagaCall<'a, T> {
        SagaCall::new(self.scope.context().clone(), Some(self.scope.clone()), body)
    }
}

/// A saga as a future. Made by [`WorkflowContext::saga`] and [`Saga::saga`]. `Unpin`; nothing happens before the
/// first poll.
#[must_use = "a saga does nothing until it is awaited"]
pub struct SagaCall<'a, T> {
    future: Pin<Box<dyn Future<Output = Result<T, WorkflowError>> + 'a>>,
    holds_for_operator: Rc<Cell<bool>>,
}

impl<'a, T: 'a> SagaCall<'a, T> {
    pub(crate) fn new(
        context: RunContext,
        parent: Option<SagaScope>,
        body: impl AsyncFnOnce(&Saga) -> Result<T, WorkflowError> + 'a,
    ) -> Self {
        let holds_for_operator = Rc::new(Cell::new(false));
        let holds = Rc::clone(&holds_for_operator);
        let future = Box::pin(async move {
            let saga = Saga { scope: context.saga(parent.as_ref()) };
            if holds.get() {
                saga.scope.hold_for_operator();
            }
            let scope = saga.scope.clone();
            let body = async { body(&saga).await.map_err(steadfast_core::WorkflowError::from) };
            scope.run(body).await.map_err(WorkflowError::from)
        });
        Self { future, holds_for_operator }
    }

    /// An undo that does not succeed waits for an operator, once the other undos have run: the run stays
    /// `Compensating` and needs attention until each is retried, skipped or answered
    /// ([`RunHandle::operator`](crate::RunHandle::operator)). Without this the run goes on, and closes with
    /// `compensation: failed`.
    ///
    /// It holds for sagas inside this one, too. After the first poll it has no effect.
    ///
    /// ```
    /// # use steadfast::prelude::*;
    /// # #[activity(compensate = refund)] async fn charge(cents: u64) -> Result<u64, AnyFailure> { Ok(cents) }
    /// # #[activity] async fn refund(step: UndoOf<charge>) -> Result<(), AnyFailure> { let _ = step; Ok(()) }
    /// # #[activity] async fn ship(order: u64) -> Result<(), AnyFailure> { let _ = order; Ok(()) }
    /// #[workflow]
    /// async fn order(ctx: WorkflowContext, order: u64) -> Result<(), WorkflowError> {
    ///     let saga = ctx.saga(async |saga| {
    ///         charge(saga, 500).await?;
    ///         ship(saga, order).await?;
    ///         Ok(())
    ///     });
    ///     saga.hold_for_operator().await
    /// }
    /// ```
    pub fn hold_for_operator(self) -> Self {
        self.holds_for_operator.set(true);
        self
    }
}

impl<T> Future for SagaCall<'_, T> {
    type Output = Result<T, WorkflowError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.future.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for SagaCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SagaCall").finish_non_exhaustive()
    }
}
