//! Ending runs.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use steadfast_core::{InvalidId, RequestId};
use steadfast_engine::{CancelRequest, EndError, TerminateRequest, Unavailable};

use super::handle::RunHandle;

/// Asks a run to end. Made by [`RunHandle::cancel`]; await it.
///
/// # Errors
///
/// [`EndError`] if there is no such run, it is closed, or the engine cannot do it.
#[must_use = "nothing is cancelled until the call is awaited"]
#[derive(Debug)]
pub struct CancelCall {
    run: RunHandle,
    reason: String,
    request_id: Option<String>,
}

impl CancelCall {
    pub(super) fn new(run: RunHandle) -> Self {
        Self { run, reason: String::new(), request_id: None }
    }

    /// Why, for those who read the history.
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..self }
    }

    /// Makes a repeated call one call.
    pub fn request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }
}

impl IntoFuture for CancelCall {
    type Output = Result<(), EndError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { run, reason, request_id } = self;
            let request = CancelRequest { run: run.selector()?, reason, request_id: checked(request_id)? };
            run.client().cancel(request).await
        })
    }
}

/// Ends a run at once. Made by [`RunHandle::terminate`]; await it.
///
/// # Errors
///
/// [`EndError`] if there is no such run, it is closed, or the engine cannot do it.
#[must_use = "nothing is terminated until the call is awaited"]
#[derive(Debug)]
pub struct TerminateCall {
    run: RunHandle,
    reason: String,
    request_id: Option<String>,
}

impl TerminateCall {
    pub(super) fn new(run: RunHandle, reason: String) -> Self {
        Self { run, reason, request_id: None }
    }

    /// Makes a repeated call one call.
    pub fn request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }
}

impl IntoFuture for TerminateCall {
    type Output = Result<(), EndError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { run, reason, request_id } = self;
            let request = TerminateRequest { run: run.selector()?, reason, request_id: checked(request_id)? };
            run.client().terminate(request).await
        })
    }
}

/// A request id that is valid, if one was given.
pub(super) fn checked(request_id: Option<String>) -> Result<Option<RequestId>, Unavailable> {
    request_id
        .map(RequestId::new)
        .transpose()
        .map_err(|error: InvalidId| Unavailable::Invalid(error.to_string()))
}
