//! Small durable side effects without an activity.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use steadfast_core::exec::{RunContext, StepBody, StepCallSpec};
use steadfast_core::{AttemptError, Payload, PayloadError, RetryPolicy};

use super::WorkflowContext;
use crate::call::typed;
use crate::data::Data;
use crate::error::{FailedCall, StepError};
use crate::failure::{AnyFailure, record};
use crate::pending::Pending;

impl WorkflowContext {
    /// Runs a closure once, outside the workflow, and records what it returns; it is tried again when it fails.
    ///
    /// For a side effect that is too small for an activity. The closure runs on tokio, in the process that owns the
    /// workflow; it is cloned for each attempt, so what it captures is owned, `Clone` and `Send`. `?` in it turns
    /// every std error into an [`AnyFailure`].
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # async fn w(ctx: WorkflowContext, path: String) -> Result<u64, WorkflowError> {
    /// let size: u64 = ctx.step("size", async move || Ok(std::fs::metadata(&path)?.len())).await?;
    /// # Ok(size) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`StepError`], with the [`AnyFailure`] inside.
    ///
    /// # Cancellation
    ///
    /// A step that has begun is not cancelled: its outcome is awaited, recorded, and ignored if the call was dropped.
    #[track_caller]
    pub fn step<T, F, Fut>(&self, name: impl Into<String>, body: F) -> StepCall<T>
    where
        T: Data,
        F: FnOnce() -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T, AnyFailure>> + Send + 'static,
    {
        let name = name.into();
        let spec = StepCallSpec {
            name: name.clone(),
            body: erased(body),
            retry: RetryPolicy::default(),
            call_site: Location::caller(),
        };
        StepCall { run: Rc::clone(&self.run), name, pending: Pending::New(spec), output: PhantomData }
    }
}

/// The closure without its types. It is cloned under a lock, because it need not be `Sync`.
fn erased<T, F, Fut>(body: F) -> StepBody
where
    T: Data,
    F: FnOnce() -> Fut + Clone + Send + 'static,
    Fut: Future<Output = Result<T, AnyFailure>> + Send + 'static,
{
    let body = Mutex::new(body);
    Arc::new(move || {
        let attempt = body.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move { encoded(attempt().await) })
    })
}

fn encoded<T: Data>(result: Result<T, AnyFailure>) -> Result<Payload, AttemptError> {
    let output = result.map_err(|error| AttemptError::Application(record(&error)))?;
    output.to_payload().map_err(|PayloadError(message)| AttemptError::OutputUnwritable { message })
}

/// A call of [`WorkflowContext::step`]: builder and future in one. Nothing is recorded before the first poll.
#[must_use = "a step does nothing until it is awaited"]
pub struct StepCall<T> {
    run: Rc<RunContext>,
    name: String,
    pending: Pending<StepCallSpec>,
    output: PhantomData<fn() -> T>,
}

impl<T: Data> StepCall<T> {
    /// When to try again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        if let Pending::New(spec) = &mut self.pending {
            spec.retry = policy;
        }
        self
    }
}

impl<T: Data> Future for StepCall<T> {
    type Output = Result<T, StepError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let run = &me.run;
        let polled = me.pending.poll(cx, |spec| run.start_step(spec));
        polled.map(|(outcome, scheduled)| {
            typed(outcome, || FailedCall { name: std::mem::take(&mut me.name), scheduled })
        })
    }
}

impl<T> fmt::Debug for StepCall<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepCall").field("name", &self.name).finish_non_exhaustive()
    }
}
