//! The client: calls go to the shard of their workflow, answers come back after the commit.

use std::fmt;
use std::sync::Arc;

use futures::channel::oneshot;
use steadfast_core::history::Event;
use steadfast_core::{EventId, RequestId, RunId, ShardId, WorkflowId};
use steadfast_store::{DeadLetterRow, ListFilter, ListPage, ListPosition, Store, StoreError};

use super::description::{DeadLetter, RunDescription};
use super::outcome::RunOutcome;
use super::request::{
    ActivityRequest, CancelRequest, DecideRequest, RunSelector, StartRequest, Started, TerminateRequest,
};
use super::single;
use crate::error::{DecideError, EndError, ListError, ReadError, StartError, Unavailable};
use crate::head::DeadLetterBody;
use crate::message::{Call, Reply, ShardMessage};
use crate::runner::Inner;

/// Where a list of dead letters goes on.
pub type DeadLetterPosition = (ShardId, RunId, EventId);

/// Starts runs, waits for them, ends them and looks at them. Cheap to clone; its futures need no certain runtime.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    pub(super) async fn call<T, E: From<Unavailable>>(
        &self,
        workflow: &WorkflowId,
        call: impl FnOnce(Reply<T, E>) -> Call,
    ) -> Result<T, E> {
        let (reply, answer) = Reply::channel();
        let shard = workflow.shard(self.inner.shard_count());
        self.inner.router().send(shard, ShardMessage::Call(call(reply)));
        match answer.await {
            Ok(answer) => answer,
            Err(oneshot::Canceled) => Err(Unavailable::ShuttingDown.into()),
        }
    }

    fn request_id(&self) -> RequestId {
        self.inner.new_request_id()
    }

    /// Starts a run, or finds it: a request that was sent before is answered as it was the first time. Returns when
    /// the start is durable.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the id is taken, the input is too large, or the engine cannot do it.
    pub async fn start(&self, mut request: StartRequest) -> Result<Started, StartError> {
        request.request_id.get_or_insert_with(|| self.request_id());
        let workflow = request.workflow_id.clone();
        self.call(&workflow, |reply| Call::Start(Box::new(request), reply)).await
    }

    /// Waits for the end of a run.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run or the engine cannot answer.
    pub async fn result(&self, run: &RunSelector) -> Result<RunOutcome, ReadError> {
        self.call(&run.workflow_id, |reply| Call::Result(run.clone(), reply)).await
    }

    /// Asks a run to end. Returns when that is durable, not when the run has ended.
    ///
    /// # Errors
    ///
    /// [`EndError`] if there is no such run, it is closed, or the engine cannot do it.
    pub async fn cancel(&self, mut request: CancelRequest) -> Result<(), EndError> {
        request.request_id.get_or_insert_with(|| self.request_id());
        let workflow = request.run.workflow_id.clone();
        self.call(&workflow, |reply| Call::Cancel(Box::new(request), reply)).await
    }

    /// Ends a run at once. Its undos are not run.
    ///
    /// # Errors
    ///
    /// [`EndError`] if there is no such run, it is closed, or the engine cannot do it.
    pub async fn terminate(&self, mut request: TerminateRequest) -> Result<(), EndError> {
        request.request_id.get_or_insert_with(|| self.request_id());
        let workflow = request.run.workflow_id.clone();
        self.call(&workflow, |reply| Call::Terminate(Box::new(request), reply)).await
    }

    /// Decides about something in a saga that waits for an operator. Returns when that is durable, not when it is
    /// done.
    ///
    /// # Errors
    ///
    /// [`DecideError`] if nothing waits there, the decision does not fit, or the engine cannot do it.
    pub async fn decide(&self, mut request: DecideRequest) -> Result<(), DecideError> {
        request.request_id.get_or_insert_with(|| self.request_id());
        let workflow = request.run.workflow_id.clone();
        self.call(&workflow, |reply| Call::Decide(Box::new(request), reply)).await
    }

    /// What is known of a run.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run or the engine cannot answer.
    pub async fn describe(&self, run: &RunSelector) -> Result<RunDescription, ReadError> {
        self.call(&run.workflow_id, |reply| Call::Describe(run.clone(), reply)).await
    }

    /// All events of a run that are durable.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run, its history is not whole, or the engine cannot answer.
    pub async fn history(&self, run: &RunSelector) -> Result<Vec<Event>, ReadError> {
        self.call(&run.workflow_id, |reply| Call::History(run.clone(), reply)).await
    }

    /// Runs one activity without a workflow of the user's, and waits for its end.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the id is taken, the input is too large, or the engine cannot do it.
    pub async fn run_activity(&self, request: ActivityRequest) -> Result<RunOutcome, StartError> {
        // What is checked when a run starts is the input of the workflow around it, which is a little larger.
        let limit = self.inner.shared().config.limits.payload_bytes_max;
        request.input.check_size(limit, || format!("input of `{}`", request.activity))?;
        let input = single::input(&request).map_err(|error| Unavailable::Invalid(error.to_string()))?;
        let ActivityRequest { workflow_id, queue, request_id, .. } = request;
        let start = StartRequest::new(workflow_id.clone(), single::workflow_type(), queue, input);
        let started = self.start(StartRequest { request_id, ..start }).await?;
        let run = RunSelector { workflow_id, run_id: Some(started.run_id) };
        self.result(&run).await.map_err(|error| match error {
            ReadError::Unavailable(error) => error.into(),
            ReadError::NotFound(_) => Unavailable::Unreadable(error.to_string()).into(),
        })
    }

    /// Runs, newest first.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the engine cannot answer.
    pub async fn list(
        &self,
        filter: ListFilter,
        after: Option<ListPosition>,
        limit: usize,
    ) -> Result<ListPage, ListError> {
        self.read(move |store| store.list(&filter, after, limit)).await
    }

    /// Activities that were given up, with where the list goes on.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the engine cannot answer.
    pub async fn dead_letters(
        &self,
        after: Option<DeadLetterPosition>,
        limit: usize,
    ) -> Result<(Vec<DeadLetter>, Option<DeadLetterPosition>), ListError> {
        self.read(move |store| {
            let page = store.dead_letters(after, limit)?;
            let rows = page.rows.into_iter().map(dead_letter).collect::<Result<_, _>>()?;
            Ok((rows, page.next))
        })
        .await
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ListError> {
        match self.inner.read(read).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Unavailable::from(&error).into()),
            Err(oneshot::Canceled) => Err(Unavailable::ShuttingDown.into()),
        }
    }
}

fn dead_letter(row: DeadLetterRow) -> Result<DeadLetter, StoreError> {
    let body: DeadLetterBody = steadfast_core::codec::decode(&row.body).map_err(|error| {
        StoreError::corrupt(
            format!("the dead letter of event {} of run {}", row.scheduled, row.run_id),
            error,
        )
    })?;
    Ok(DeadLetter {
        at: row.at,
        workflow_id: row.workflow_id,
        run_id: row.run_id,
        scheduled: row.scheduled,
        activity: row.activity,
        undoes: body.undoes,
        queue: body.queue,
        input: body.input,
        idempotency_key: body.idempotency_key,
        error: body.error,
        attempts: body.attempts,
    })
}
