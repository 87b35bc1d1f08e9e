//! Where a call stands: in a workflow or in a saga.

use steadfast_core::SagaScope;
use steadfast_core::exec::RunContext;

use crate::context::{CancelScope, WorkflowContext};
use crate::saga::Saga;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::WorkflowContext {}
    impl Sealed for super::CancelScope {}
    impl Sealed for super::Saga {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

/// What activities are called in: a [`WorkflowContext`], a [`CancelScope`] or a [`Saga`].
///
/// A helper that works in any of them takes `&dyn Scope`:
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping(n: u64) -> Result<u64, AnyFailure> { Ok(n) }
/// async fn twice(scope: &dyn Scope, n: u64) -> Result<u64, WorkflowError> {
///     Ok(ping(scope, n).await? + ping(scope, n).await?)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "an activity is called with `&WorkflowContext` or `&Saga` first, this is `&{Self}`",
    label = "not a scope"
)]
pub trait Scope: sealed::Sealed {
    #[doc(hidden)]
    fn handle(&self) -> ScopeHandle;
}

/// A scope without a borrow.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ScopeHandle {
    pub(crate) context: RunContext,
    pub(crate) saga: Option<SagaScope>,
}

impl Scope for WorkflowContext {
    fn handle(&self) -> ScopeHandle {
        ScopeHandle { context: (*self.run).clone(), saga: None }
    }
}

impl Scope for CancelScope {
    fn handle(&self) -> ScopeHandle {
        (**self).handle()
    }
}

impl Scope for Saga {
    fn handle(&self) -> ScopeHandle {
        ScopeHandle { context: self.scope.context().clone(), saga: Some(self.scope.clone()) }
    }
}

impl<T: Scope + ?Sized> Scope for &T {
    fn handle(&self) -> ScopeHandle {
        (**self).handle()
    }
}
