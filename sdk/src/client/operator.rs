//! What an operator decides about sagas that wait.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use steadfast_core::history::OperatorDecision;
use steadfast_core::{EventId, PayloadError};
use steadfast_engine::{DecideError, DecideRequest, Unavailable};

use super::end::checked;
use super::handle::RunHandle;
use crate::data::Data;

/// An operator at a run, by name. Made by [`RunHandle::operator`].
///
/// What waits is in [`RunDescription::holds`](crate::RunDescription::holds); each names its target and the decisions
/// that fit. A decision is recorded with the name, once: who comes second is told that nothing waits any more.
///
/// ```no_run
/// # async fn f(handle: steadfast::RunHandle) -> Result<(), Box<dyn std::error::Error>> {
/// for hold in handle.describe().await?.holds {
///     println!("{hold}");
///     handle.operator("ann").skip(hold.target, "refunded by hand, receipt 17").await?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Operator {
    run: RunHandle,
    who: String,
}

impl Operator {
    pub(super) fn new(run: RunHandle, who: String) -> Self {
        Self { run, who }
    }

    /// Lets the undo of a step that did not succeed run again: under its first idempotency key, with a fresh budget
    /// of attempts. Await it.
    pub fn retry(&self, step: EventId) -> DecideCall {
        self.decide(step, Ok(OperatorDecision::Retry))
    }

    /// Gives the undo of a step up: the step still stands, and the run says so when it closes. Await it.
    pub fn skip(&self, step: EventId, reason: impl Into<String>) -> DecideCall {
        self.decide(step, Ok(OperatorDecision::Skip { reason: reason.into() }))
    }

    /// Says that a step was undone by other means, with what its undo would have returned, mostly `&()`. Await it.
    pub fn answer(&self, step: EventId, output: &impl Data) -> DecideCall {
        self.decide(step, output.to_payload().map(|output| OperatorDecision::Answer { output }))
    }

    /// Lets what waits for approval go on: the undo of a step that is an operator's, or a whole unwinding. Await it.
    pub fn approve(&self, target: EventId) -> DecideCall {
        self.decide(target, Ok(OperatorDecision::Approve))
    }

    fn decide(&self, target: EventId, decision: Result<OperatorDecision, PayloadError>) -> DecideCall {
        DecideCall { run: self.run.clone(), who: self.who.clone(), target, decision, request_id: None }
    }
}

/// An operator's decision. Made by [`Operator`]; await it: it is durable then, what follows from it may take a while.
///
/// # Errors
///
/// [`DecideError`] if nothing waits there (it may have been decided already), the decision does not fit, or the
/// engine cannot do it. An answer larger than the run's payload limit is refused.
#[must_use = "nothing is decided until the call is awaited"]
#[derive(Debug)]
pub struct DecideCall {
    run: RunHandle,
    who: String,
    target: EventId,
    decision: Result<OperatorDecision, PayloadError>,
    request_id: Option<String>,
}

impl DecideCall {
    /// Makes a repeated call one call.
    pub fn request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }
}

impl IntoFuture for DecideCall {
    type Output = Result<(), DecideError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { run, who, target, decision, request_id } = self;
            let unwritable = |error| Unavailable::Invalid(format!("the answer cannot be written: {error}"));
            let decision = decision.map_err(unwritable)?;
            let request_id = checked(request_id)?;
            let request = DecideRequest { run: run.selector()?, target, decision, who, request_id };
            run.client().decide(request).await
        })
    }
}
