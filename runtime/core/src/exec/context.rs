//! What workflow code holds of its run, without types. The user's context wraps it.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use rand_core::Rng;

use super::cell::RunCell;
use super::scope::ScopeNode;
use crate::history::{EventKind, RunLimits, SideEffectRecorded, WorkflowStarted};
use crate::id::{EventId, QueueName, RunId, WorkflowId, WorkflowType};
use crate::payload::Payload;
use crate::time::Timestamp;

/// What a run is: pinned by its first event.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInfo {
    /// The user's key.
    pub workflow_id: WorkflowId,
    /// This execution of it.
    pub run_id: RunId,
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// Its version.
    pub version: u32,
    /// The task queue.
    pub queue: QueueName,
    /// When the first event was recorded.
    pub started_at: Timestamp,
    /// How long this run may take.
    pub run_timeout: Option<Duration>,
    /// How long this run and those that continue it may take.
    pub execution_timeout: Option<Duration>,
    /// Limits that the code can run into.
    pub limits: RunLimits,
}

impl RunInfo {
    pub(crate) fn new(started: &WorkflowStarted, at: Timestamp) -> Self {
        Self {
            workflow_id: started.workflow_id.clone(),
            run_id: started.run_id,
            workflow_type: started.workflow_type.clone(),
            version: started.version,
            queue: started.queue.clone(),
            started_at: at,
            run_timeout: started.run_timeout,
            execution_timeout: started.execution_timeout,
            limits: started.limits,
        }
    }
}

/// A handle to the run, in one cancellation scope of it. Cheap to clone; stays on its thread.
#[derive(Debug, Clone)]
pub struct RunContext {
    pub(crate) cell: Rc<RunCell>,
    pub(crate) scope: Rc<ScopeNode>,
}

impl RunContext {
    /// What the run is.
    #[must_use]
    pub fn info(&self) -> &RunInfo {
        self.cell.info()
    }

    /// The time of the present activation: the same at every replay, and it never goes back.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.cell.now.get()
    }

    /// How many events the history has so far.
    #[must_use]
    pub fn history_len(&self) -> u64 {
        self.cell.last.get().0
    }

    /// The next random number of the run: the same at every replay.
    ///
    /// The algorithm is PCG XSL 128/64 (MCG) of O'Neill's PCG family, and part of the format.
    #[must_use]
    pub fn random_u64(&self) -> u64 {
        self.cell.random.borrow_mut().next_u64()
    }

    /// The next random UUID (version 4) of the run.
    #[must_use]
    pub fn uuid(&self) -> uuid::Uuid {
        let (high, low) = (self.random_u64(), self.random_u64());
        uuid::Builder::from_random_bytes(((u128::from(high) << 64) | u128::from(low)).to_be_bytes())
            .into_uuid()
    }

    /// Whether this scope or one above it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.scope.is_cancelled()
    }

    /// Waits until this scope is cancelled.
    pub fn cancelled(&self) -> CancelledFuture {
        CancelledFuture { context: self.clone(), wait: None }
    }

    /// A scope below this one, which can be cancelled by itself.
    #[must_use]
    pub fn child_scope(&self) -> Self {
        Self { cell: Rc::clone(&self.cell), scope: self.scope.child() }
    }

    /// A scope that no cancel reaches.
    #[must_use]
    pub fn disconnected(&self) -> Self {
        Self { cell: Rc::clone(&self.cell), scope: ScopeNode::root() }
    }

    /// Cancels this scope and those below it: open activities and timers in order of creation, then the waits.
    pub fn cancel_scope(&self) {
        self.cell.cancel_scope(&self.scope);
    }

    /// A value that is computed once, recorded, and read from the history ever after.
    ///
    /// While a run is dropped from memory, or if the history does not fit, nothing is recorded: in a destructor the
    /// closure's value is returned as it is; elsewhere the activation is given up.
    pub fn side_effect(
        &self,
        call_site: &'static Location<'static>,
        value: impl FnOnce() -> Payload,
    ) -> Payload {
        if self.cell.is_dropping() {
            return value();
        }
        // In replay the recorded value counts, so the closure is not called.
        let replaying = self.cell.is_replaying();
        let computed = if replaying { Payload::null() } else { value() };
        let event = SideEffectRecorded { value: computed, call_site: call_site.into() };
        let read = |kind: &EventKind| {
            let EventKind::SideEffectRecorded(e) = kind else { return None };
            Some(e.value.clone())
        };
        match self.cell.record(event.into(), read) {
            Ok((_, Some(value))) => value,
            // The fault is noted. The code must not go on with a value that is not the recorded one.
            Ok((_, None)) | Err(_) if !std::thread::panicking() => std::panic::resume_unwind(Box::new(Stop)),
            Ok(_) | Err(_) => Payload::null(),
        }
    }

    /// The event that the next command will be.
    #[must_use]
    pub fn next_event(&self) -> EventId {
        self.cell.last.get().next()
    }
}

/// Unwinds workflow code whose activation is given up; the fault that is noted says why.
pub(crate) struct Stop;

/// Waits until a scope is cancelled. Made by [`RunContext::cancelled`].
#[must_use = "a wait does nothing until it is awaited"]
#[derive(Debug)]
pub struct CancelledFuture {
    context: RunContext,
    wait: Option<u64>,
}

impl Future for CancelledFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.context.is_cancelled() {
            return Poll::Ready(());
        }
        let cell = Rc::clone(&self.context.cell);
        let wait = *self.wait.get_or_insert_with(|| {
            let wait = cell.next_wait.get();
            cell.next_wait.set(wait + 1);
            wait
        });
        let entry = (Rc::clone(&self.context.scope), cx.waker().clone());
        cell.cancel_waits.borrow_mut().insert(wait, entry);
        Poll::Pending
    }
}

impl Drop for CancelledFuture {
    fn drop(&mut self) {
        if let Some(wait) = self.wait {
            self.context.cell.cancel_waits.borrow_mut().remove(&wait);
        }
    }
}
