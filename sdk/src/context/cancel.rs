//! Cancellation: what a scope is told, and scopes of the workflow's own.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::WorkflowContext;

impl WorkflowContext {
    /// Whether the scope of this context was cancelled: by a client, by the engine, or by [`CancelScope::cancel`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.run.is_cancelled()
    }

    /// Waits until the scope of this context is cancelled.
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # #[activity] async fn work() -> Result<u64, AnyFailure> { Ok(1) }
    /// # #[activity] async fn tidy_up() -> Result<(), AnyFailure> { Ok(()) }
    /// # async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    /// select! {
    ///     done = work(&ctx) => Ok(done?),
    ///     () = ctx.cancelled() => {
    ///         tidy_up(&ctx.disconnected()).await?;
    ///         Err(WorkflowError::Cancelled)
    ///     }
    /// }
    /// # }
    /// ```
    pub fn cancelled(&self) -> CancelledFuture {
        CancelledFuture(self.run.cancelled())
    }

    /// The same run in a scope that no cancel reaches: for what must be done although the workflow is cancelled.
    #[must_use]
    pub fn disconnected(&self) -> Self {
        Self::new(self.run.disconnected())
    }

    /// A scope below this one, which can be cancelled by itself; a cancel of this one reaches it too.
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # #[activity] async fn search(site: String) -> Result<u64, AnyFailure> { Ok(site.len() as u64) }
    /// # async fn w(ctx: WorkflowContext, sites: Vec<String>) -> Result<(), WorkflowError> {
    /// let scope = ctx.scope();
    /// let searches = join_all(sites.into_iter().map(|site| search(&scope, site)));
    /// let deadline = ctx.spawn({
    ///     let (ctx, scope) = (ctx.clone(), scope.clone());
    ///     async move {
    ///         let _ = ctx.sleep(minutes(1)).await;
    ///         scope.cancel();
    ///     }
    /// });
    /// let found: Vec<u64> = searches.await.into_iter().flatten().collect();
    /// # let _ = (deadline, found); Ok(()) }
    /// ```
    #[must_use]
    pub fn scope(&self) -> CancelScope {
        CancelScope { context: Self::new(self.run.child_scope()) }
    }
}

/// A scope that can be cancelled by itself. Made by [`WorkflowContext::scope`]; a context in all other respects.
///
/// Dropping it cancels nothing.
#[derive(Debug, Clone)]
pub struct CancelScope {
    context: WorkflowContext,
}

impl CancelScope {
    /// Cancels everything open in this scope and below, in order of creation.
    ///
    /// Activities are asked to end; open waits give their `Cancelled` error; a new call in the scope gives it at
    /// once and records nothing. Several cancels are one.
    pub fn cancel(&self) {
        self.context.run.cancel_scope();
    }
}

impl Deref for CancelScope {
    type Target = WorkflowContext;

    fn deref(&self) -> &WorkflowContext {
        &self.context
    }
}

/// Waits for a cancel. Made by [`WorkflowContext::cancelled`].
#[must_use = "a wait does nothing until it is awaited"]
#[derive(Debug)]
pub struct CancelledFuture(steadfast_core::exec::CancelledFuture);

impl Future for CancelledFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx)
    }
}
