//! Starting a workflow.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use steadfast_core::{Payload, PayloadError, QueueName, RequestId, WorkflowId, WorkflowType};
use steadfast_engine::{IdConflictPolicy, IdReusePolicy, StartRequest};

use super::error::StartError;
use super::handle::{RunHandle, WorkflowHandle};
use super::{DEFAULT_QUEUE, fresh_id};
use crate::data::Data as _;
use crate::workflow::Workflow;

/// The start of a workflow: say more about it, then await it. Made by [`Client::start`](crate::Client::start).
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[workflow] async fn book_tour(ctx: WorkflowContext, days: u32) -> Result<u32, WorkflowError> { let _ = ctx; Ok(days) }
/// # async fn f(client: steadfast::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let handle = client
///     .start(book_tour, 7)
///     .id("tour-991")
///     .queue("tours")
///     .request_id("order-4711") // sent again, it finds the run that it started
///     .run_timeout(hours(12))
///     .await?;
/// # let _ = handle; Ok(()) }
/// ```
#[must_use = "a workflow is not started until the call is awaited"]
pub struct StartCall<W> {
    client: steadfast_engine::Client,
    input: Result<Payload, PayloadError>,
    id: Option<String>,
    queue: String,
    request_id: Option<String>,
    id_reuse: IdReusePolicy,
    id_conflict: IdConflictPolicy,
    run_timeout: Option<Duration>,
    execution_timeout: Option<Duration>,
    start_delay: Option<Duration>,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> StartCall<W> {
    pub(super) fn new(client: steadfast_engine::Client, input: &W::Input) -> Self {
        Self {
            client,
            input: input.to_payload(),
            id: None,
            queue: DEFAULT_QUEUE.to_owned(),
            request_id: None,
            id_reuse: IdReusePolicy::default(),
            id_conflict: IdConflictPolicy::default(),
            run_timeout: None,
            execution_timeout: None,
            start_delay: None,
            workflow: PhantomData,
        }
    }

    /// The key of the workflow: at most one run of it is open at a time. Without one a UUID is made up.
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The task queue whose worker runs it. Without one it is [`DEFAULT_QUEUE`].
    pub fn queue(self, queue: impl Into<String>) -> Self {
        Self { queue: queue.into(), ..self }
    }

    /// Makes a repeated call one call: a request id that is known is answered with the run that it started.
    pub fn request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }

    /// Whether the id of a closed run may be used again.
    pub fn id_reuse(self, policy: IdReusePolicy) -> Self {
        Self { id_reuse: policy, ..self }
    }

    /// What happens if a run with the id is open.
    pub fn id_conflict(self, policy: IdConflictPolicy) -> Self {
        Self { id_conflict: policy, ..self }
    }

    /// How long the run may take.
    pub fn run_timeout(self, limit: Duration) -> Self {
        Self { run_timeout: Some(limit), ..self }
    }

    /// How long the run and those that continue it may take.
    pub fn execution_timeout(self, limit: Duration) -> Self {
        Self { execution_timeout: Some(limit), ..self }
    }

    /// How long the run waits before it begins.
    pub fn start_delay(self, delay: Duration) -> Self {
        Self { start_delay: Some(delay), ..self }
    }

    fn request(self) -> Result<(steadfast_engine::Client, StartRequest), StartError> {
        let request = StartRequest {
            request_id: self.request_id.map(RequestId::new).transpose()?,
            id_reuse: self.id_reuse,
            id_conflict: self.id_conflict,
            run_timeout: self.run_timeout,
            execution_timeout: self.execution_timeout,
            start_delay: self.start_delay,
            ..StartRequest::new(
                WorkflowId::new(self.id.unwrap_or_else(fresh_id))?,
                WorkflowType::new(W::NAME)?,
                QueueName::new(self.queue)?,
                self.input.map_err(StartError::Input)?,
            )
        };
        Ok((self.client, request))
    }
}

impl<W: Workflow> IntoFuture for StartCall<W> {
    type Output = Result<WorkflowHandle<W>, StartError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (client, request) = self.request()?;
            let id = request.workflow_id.clone();
            let started = client.start(request).await?;
            Ok(WorkflowHandle::new(RunHandle::new(client, Ok(id), Some(started.run_id))))
        })
    }
}

impl<W: Workflow> fmt::Debug for StartCall<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartCall").field("workflow", &W::NAME).field("id", &self.id).finish_non_exhaustive()
    }
}
