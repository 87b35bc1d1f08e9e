//! Sagas of a workflow.

use super::WorkflowContext;
use crate::error::WorkflowError;
use crate::saga::{Saga, SagaCall};

impl WorkflowContext {
    /// Runs `body` as a saga: if it fails, everything that its activities may have done is undone, newest first.
    ///
    /// Activities that are called with the [`Saga`] are its steps; what undoes a step is said at its declaration
    /// (`compensate = cancel_hotel`) or at the call. A step counts from the moment it is scheduled: one whose outcome
    /// is unknown is undone too.
    ///
    /// ```
    /// # use steadfast::prelude::*;
    /// # #[activity(compensate = cancel_hotel)] async fn book_hotel(h: String) -> Result<u64, AnyFailure> { Ok(h.len() as u64) }
    /// # #[activity] async fn cancel_hotel(step: UndoOf<book_hotel>) -> Result<(), AnyFailure> { let _ = step; Ok(()) }
    /// # #[activity] async fn charge(cents: u64) -> Result<u64, AnyFailure> { Ok(cents) }
    /// #[workflow]
    /// async fn book(ctx: WorkflowContext, hotel: String) -> Result<u64, WorkflowError> {
    ///     ctx.saga(async |saga| {
    ///         let booking = book_hotel(saga, hotel).await?; // registers cancel_hotel
    ///         charge(saga, 500).await?; // if this fails, the hotel is cancelled
    ///         Ok(booking)
    ///     })
    ///     .await
    /// }
    /// ```
    ///
    /// The closure is written in place, as above, or says its parameter's type: `async |saga: &Saga| ..`. A function
    /// `async fn body(saga: &Saga) -> Result<T, WorkflowError>` fits too.
    ///
    /// # Errors
    ///
    /// The error that the body returned, once everything is undone that could be.
    ///
    /// # Cancellation
    ///
    /// A cancel makes the open calls of the body return `Cancelled`; the body's value decides. Undos run in a scope
    /// that no cancel reaches. Dropping the call unfinished unwinds the saga as a task of the run.
    pub fn saga<'a, T: 'a>(
        &self,
        body: impl AsyncFnOnce(&Saga) -> Result<T, WorkflowError> + 'a,
    ) -> SagaCall<'a, T> {
        SagaCall::new((*self.run).clone(), None, body)
    }
}
