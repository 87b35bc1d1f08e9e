//! Tasks of the run.

use std::future::Future;

use steadfast_core::exec::Spawned;

use super::WorkflowContext;

impl WorkflowContext {
    /// Begins a task of the run, which goes on beside the caller. Awaiting the handle gives its value; dropping the
    /// handle lets it go on.
    ///
    /// A task is first polled after those that wait to be polled already, and ends with the workflow function: what
    /// is not over then is dropped, and its open calls are cancelled.
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
    /// # async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    /// let pinger = ctx.spawn({
    ///     let ctx = ctx.clone();
    ///     async move { ping(&ctx, 1).await }
    /// });
    /// ctx.sleep(secs(5)).await?;
    /// Ok(pinger.await?)
    /// # }
    /// ```
    pub fn spawn<F: Future + 'static>(&self, task: F) -> Spawned<F::Output> {
        self.run.spawn(task)
    }
}
