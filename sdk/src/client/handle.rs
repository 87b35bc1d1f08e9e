//! Handles to runs.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use steadfast_core::history::Event;
use steadfast_core::{InvalidId, RunId, SagaReport, WorkflowId, saga_reports};
use steadfast_engine::{ReadError, RunDescription, RunOutcome, RunSelector, Unavailable};

use super::end::{CancelCall, TerminateCall};
use super::error::RunError;
use super::operator::Operator;
use crate::data::Data as _;
use crate::workflow::Workflow;

/// A run, whatever its types: the one that was started, or the newest of a workflow.
#[derive(Debug, Clone)]
pub struct RunHandle {
    client: steadfast_engine::Client,
    workflow_id: Result<WorkflowId, InvalidId>,
    run_id: Option<RunId>,
}

impl RunHandle {
    pub(super) fn new(
        client: steadfast_engine::Client,
        workflow_id: Result<WorkflowId, InvalidId>,
        run_id: Option<RunId>,
    ) -> Self {
        Self { client, workflow_id, run_id }
    }

    /// The id of the workflow; empty if the handle was asked for by an id that is not valid.
    #[must_use]
    pub fn id(&self) -> &str {
        self.workflow_id.as_ref().map_or("", WorkflowId::as_str)
    }

    /// The run, if the handle stands for a certain one.
    #[must_use]
    pub fn run_id(&self) -> Option<RunId> {
        self.run_id
    }

    pub(super) fn client(&self) -> &steadfast_engine::Client {
        &self.client
    }

    pub(super) fn selector(&self) -> Result<RunSelector, Unavailable> {
        let workflow_id =
            self.workflow_id.clone().map_err(|error| Unavailable::Invalid(error.to_string()))?;
        Ok(RunSelector { workflow_id, run_id: self.run_id })
    }

    /// Waits for the end of the run.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run or the engine cannot answer.
    pub async fn outcome(&self) -> Result<RunOutcome, ReadError> {
        self.client.result(&self.selector()?).await
    }

    /// What is known of the run: its state, what is open, what it waits for.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run or the engine cannot answer.
    pub async fn describe(&self) -> Result<RunDescription, ReadError> {
        self.client.describe(&self.selector()?).await
    }

    /// All events of the run that are durable, oldest first.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if there is no such run, its history is not whole, or the engine cannot answer.
    pub async fn history(&self) -> Result<Vec<Event>, ReadError> {
        self.client.history(&self.selector()?).await
    }

    /// What its sagas undid: who was undone, when, how often, with what result, and what operators decided. It can be
    /// asked for while a saga unwinds and after the run closed.
    ///
    /// # Errors
    ///
    /// [`ReadError`] as of [`history`](Self::history).
    pub async fn saga_report(&self) -> Result<Vec<SagaReport>, ReadError> {
        Ok(saga_reports(&self.history().await?))
    }

    /// Asks the run to end. Await it: it is durable then, but the run may need a while to unwind.
    ///
    /// ```no_run
    /// # async fn f(handle: steadfast::RunHandle) -> Result<(), Box<dyn std::error::Error>> {
    /// handle.cancel().reason("the traveller withdraws").await?;
    /// # Ok(()) }
    /// ```
    pub fn cancel(&self) -> CancelCall {
        CancelCall::new(self.clone())
    }

    /// An operator, by name, who decides about sagas of this run that wait for one.
    pub fn operator(&self, who: impl Into<String>) -> Operator {
        Operator::new(self.clone(), who.into())
    }

    /// Ends the run at once: its code is not asked, and its undos are not run. Await it.
    pub fn terminate(&self, reason: impl Into<String>) -> TerminateCall {
        TerminateCall::new(self.clone(), reason.into())
    }
}

/// A run of the workflow `W`. Derefs to [`RunHandle`], which has all that needs no types.
pub struct WorkflowHandle<W> {
    run: RunHandle,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> WorkflowHandle<W> {
    pub(super) fn new(run: RunHandle) -> Self {
        Self { run, workflow: PhantomData }
    }

    /// Waits for the end of the run and gives what the workflow returned.
    ///
    /// # Errors
    ///
    /// [`RunError`] with the workflow's error and what became of its sagas.
    pub async fn result(&self) -> Result<W::Output, RunError> {
        let output = RunError::of(&self.outcome().await?)?;
        W::Output::from_payload(&output)
            .map_err(|error| RunError::Unreadable { workflow: W::NAME, source: error })
    }
}

impl<W> Deref for WorkflowHandle<W> {
    type Target = RunHandle;

    fn deref(&self) -> &RunHandle {
        &self.run
    }
}

impl<W> Clone for WorkflowHandle<W> {
    fn clone(&self) -> Self {
        Self { run: self.run.clone(), workflow: PhantomData }
    }
}

impl<W> fmt::Debug for WorkflowHandle<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.fmt(f)
    }
}
