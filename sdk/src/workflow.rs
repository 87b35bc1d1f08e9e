//! What a workflow is to the library: the trait that `#[workflow]` implements, and workflow functions as values.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use steadfast_core::exec::{Definition, RunContext, RunFuture};
use steadfast_core::{InvalidId, Payload, PayloadError, WorkflowType};

use crate::context::WorkflowContext;
use crate::data::Data;
use crate::error::WorkflowError;

/// A durable function: its activities are recorded, and after a crash it goes on from the line where it stood.
///
/// [`#[workflow]`](macro@crate::workflow) implements it; nobody implements it by hand.
pub trait Workflow: Sized + 'static {
    /// The name under which it is registered and recorded.
    const NAME: &'static str;
    /// Its version, which is pinned when a run starts.
    const VERSION: u32;
    /// The input; a tuple if there are several.
    type Input: Data;
    /// The result.
    type Output: Data;

    /// Calls the function.
    fn call(ctx: WorkflowContext, input: Self::Input) -> WorkflowFuture<Self>;
}

/// What a workflow function returns: the future of its body. `Unpin`; it stays on its thread.
#[must_use = "a workflow does nothing until it is started by a client, or awaited in another workflow"]
pub struct WorkflowFuture<W: Workflow>(Pin<Box<dyn Future<Output = Result<W::Output, WorkflowError>>>>);

impl<W: Workflow> WorkflowFuture<W> {
    pub(crate) fn new(body: impl Future<Output = Result<W::Output, WorkflowError>> + 'static) -> Self {
        Self(Box::pin(body))
    }
}

impl<W: Workflow> Future for WorkflowFuture<W> {
    type Output = Result<W::Output, WorkflowError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<W: Workflow> fmt::Debug for WorkflowFuture<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkflowFuture").field("workflow", &W::NAME).finish_non_exhaustive()
    }
}

/// A workflow function as a value: `client.start(book_tour, request)`, `worker.workflow(book_tour)`.
///
/// Every function that `#[workflow]` makes has it. `M` only tells the numbers of inputs apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a workflow",
    label = "expected a function marked `#[workflow]`"
)]
pub trait WorkflowFn<M> {
    /// The workflow behind the function.
    type Workflow: Workflow;
}

macro_rules! workflow_functions {
    ($(($($input:ident)*))*) => {$(
        impl<F, W: Workflow, $($input),*> WorkflowFn<(W, $($input,)*)> for F
        where
            F: Fn(WorkflowContext, $($input),*) -> WorkflowFuture<W>,
        {
            type Workflow = W;
        }
    )*};
}

workflow_functions! {
    ()
    (I1)
    (I1 I2)
    (I1 I2 I3)
    (I1 I2 I3 I4)
    (I1 I2 I3 I4 I5)
    (I1 I2 I3 I4 I5 I6)
    (I1 I2 I3 I4 I5 I6 I7)
    (I1 I2 I3 I4 I5 I6 I7 I8)
}

/// A workflow as the core runs it: without its types.
pub(crate) struct Registered<W> {
    workflow_type: WorkflowType,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> Registered<W> {
    pub(crate) fn new() -> Result<Self, InvalidId> {
        Ok(Self { workflow_type: WorkflowType::new(W::NAME)?, workflow: PhantomData })
    }
}

impl<W: Workflow> Definition for Registered<W> {
    fn workflow_type(&self) -> &WorkflowType {
        &self.workflow_type
    }

    fn version(&self) -> u32 {
        W::VERSION
    }

    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        Box::pin(async move {
            let unreadable = |what: &str| {
                let what = format!("the {what} of workflow `{}`", W::NAME);
                move |error: PayloadError| WorkflowError::Codec { what, message: error.0 }
            };
            let input = W::Input::from_payload(&input).map_err(unreadable("input"))?;
            let output = W::call(WorkflowContext::new(context), input).await?;
            Ok(output.to_payload().map_err(unreadable("result"))?)
        })
    }
}
