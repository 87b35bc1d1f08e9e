//! What generated code calls. Not for people: anything here may change with any release.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use steadfast_core::exec::Definition;
pub use steadfast_core::exec::UndoSpec;
use steadfast_core::{ActivityName, ActivityOptions, QueueName};

use crate::activity::Activity;
use crate::call::ActivityCall;
use crate::data::Data;
use crate::error::WorkflowError;
use crate::failure::causes_of;
use crate::scope::Scope;
use crate::undo::Undo;
use crate::workflow::{Registered, Workflow, WorkflowFn, WorkflowFuture};

/// Exists for types that can be recorded, so that one that cannot be is reported where it stands.
pub fn is_data<T: Data>() {}

/// Takes an alias of `Result` apart.
#[diagnostic::on_unimplemented(
    message = "activities and workflows return a `Result`, this is `{Self}`",
    label = "expected `Result<Output, Error>`"
)]
pub trait IsResult {
    /// The type of `Ok`.
    type Output;
    /// The type of `Err`.
    type Error;
}

impl<T, E> IsResult for Result<T, E> {
    type Output = T;
    type Error = E;
}

/// The input of an activity that undoes a step with input `I` and output `O`.
#[diagnostic::on_unimplemented(
    message = "this undo does not fit the step: its input is `{Self}`, the step needs `Undo<{I}, {O}>`",
    label = "takes the wrong undo",
    note = "write `async fn undo(step: Undo<{I}, {O}>)`, or `UndoOf<the_step>`"
)]
pub trait Undoes<I, O> {}

impl<I, O> Undoes<I, O> for Undo<I, O> {}

/// What undoes `A`, checked.
#[must_use]
pub fn undo<A: Activity, U: Activity<Input = X>, X: Undoes<A::Input, A::Output>>() -> UndoSpec {
    undo_spec::<U>()
}

/// The same, if it runs only after an operator approved.
#[must_use]
pub fn undo_by_operator<A: Activity, U: Activity<Input = X>, X: Undoes<A::Input, A::Output>>() -> UndoSpec {
    UndoSpec { by_operator: true, ..undo_spec::<U>() }
}

/// What an activity's declaration says of a call with this input.
pub(crate) fn options<A: Activity>(input: &A::Input) -> ActivityOptions {
    let mut options = A::options();
    if let Some(key) = A::breaker_key(input) {
        options.circuit_breaker = options.circuit_breaker.map(|breaker| breaker.key(key));
    }
    options
}

pub(crate) fn undo_spec<U: Activity>() -> UndoSpec {
    UndoSpec { activity: activity_name(U::NAME), options: U::options(), by_operator: false }
}

/// A name that the macro has checked.
pub(crate) fn activity_name(name: &'static str) -> ActivityName {
    #[expect(clippy::expect_used, reason = "the macro refuses names that are not valid")]
    ActivityName::new(name).expect("the name of an activity")
}

/// A queue that the macro has checked.
#[must_use]
pub fn queue(name: &'static str) -> QueueName {
    #[expect(clippy::expect_used, reason = "the macro refuses names that are not valid")]
    QueueName::new(name).expect("the name of a task queue")
}

/// Makes the call of a stub.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the stub's arguments end here")]
pub fn call<A: Activity>(scope: &dyn Scope, input: A::Input) -> ActivityCall<A> {
    ActivityCall::new(scope, &input)
}

/// The error of a workflow function.
#[diagnostic::on_unimplemented(
    message = "a workflow returns `Result<Output, WorkflowError>`, the error of this one is `{Self}`",
    label = "expected `WorkflowError`; `?` makes one of every activity's error"
)]
pub trait IsWorkflowError: Into<WorkflowError> {}

impl IsWorkflowError for WorkflowError {}

/// Names the future of a workflow function.
pub fn workflow_future<W: Workflow, E: IsWorkflowError>(
    body: impl Future<Output = Result<W::Output, E>> + 'static,
) -> WorkflowFuture<W> {
    WorkflowFuture::new(async move { body.await.map_err(Into::into) })
}

/// A workflow function as the core runs it, for tools that replay histories.
///
/// # Panics
///
/// If the name of the workflow is not valid; the macro refuses such names.
#[must_use]
pub fn definition<M, F: WorkflowFn<M>>(_workflow: F) -> Arc<dyn Definition> {
    #[expect(clippy::expect_used, reason = "the macro refuses names that are not valid")]
    let definition = Registered::<F::Workflow>::new().expect("the name of a workflow");
    Arc::new(definition)
}

/// A field that says how long to wait before the next attempt.
#[diagnostic::on_unimplemented(
    message = "`retry_after` names a field that holds a `Duration` or an `Option<Duration>`, this is `{Self}`",
    label = "not a duration"
)]
pub trait Wait {
    /// The wait.
    fn wait(&self) -> Option<Duration>;
}

impl Wait for Duration {
    fn wait(&self) -> Option<Duration> {
        Some(*self)
    }
}

impl Wait for Option<Duration> {
    fn wait(&self) -> Option<Duration> {
        *self
    }
}

/// The wait that a field asks for.
pub fn retry_after(field: &impl Wait) -> Option<Duration> {
    field.wait()
}

/// The state of an activity that is a function.
#[diagnostic::on_unimplemented(
    message = "this activity is a method of `{Self}`, so a worker needs a `{Self}` to run it",
    label = "register the value with all its activities: `.activities(value)`"
)]
pub trait NoState {
    /// The one value.
    fn none() -> Self;
}

impl NoState for () {
    fn none() {}
}

/// Finds the causes of an error whose type is known to be a std error; of others there are none.
#[derive(Debug)]
pub struct Causes<'a, T>(pub &'a T);

/// Causes of a std error.
pub trait OfStdError {
    /// Their texts, outermost first.
    fn texts(&self) -> Vec<String>;
}

impl<T: Error> OfStdError for Causes<'_, T> {
    fn texts(&self) -> Vec<String> {
        causes_of(self.0)
    }
}

/// Causes of anything else.
pub trait OfOther {
    /// No texts.
    fn texts(&self) -> Vec<String>;
}

impl<T> OfOther for &Causes<'_, T> {
    fn texts(&self) -> Vec<String> {
        Vec::new()
    }
}
