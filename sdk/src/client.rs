//! The client: starting workflows, waiting for them, ending them and looking at them.

mod activity;
mod breaker;
mod end;
mod error;
mod handle;
mod operator;
mod start;

use steadfast_core::WorkflowId;
use steadfast_engine::{DeadLetter, DeadLetterPosition, ListError};
use steadfast_store::{ListFilter, ListPage, ListPosition};

pub use self::activity::RunActivityCall;
pub use self::breaker::CircuitBreakerHandle;
pub use self::end::{CancelCall, TerminateCall};
pub use self::error::{RunActivityError, RunError, StartError};
pub use self::handle::{RunHandle, WorkflowHandle};
pub use self::operator::{DecideCall, Operator};
pub use self::start::StartCall;
use crate::activity::{Activity, StubFn};
use crate::workflow::{Workflow, WorkflowFn};

/// The task queue of a start that names none.
pub const DEFAULT_QUEUE: &str = "default";

/// Starts workflows and looks at them. Cheap to clone; its futures need no certain runtime.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[workflow] async fn book_tour(ctx: WorkflowContext, days: u32) -> Result<u32, WorkflowError> { let _ = ctx; Ok(days) }
/// # async fn f(engine: Engine) -> Result<(), Box<dyn std::error::Error>> {
/// let client = engine.client();
/// let handle = client.start(book_tour, 7).id("tour-991").queue("tours").await?;
/// let booked = handle.result().await?;
/// # let _ = booked; Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    inner: steadfast_engine::Client,
}

impl Client {
    pub(crate) fn new(inner: steadfast_engine::Client) -> Self {
        Self { inner }
    }

    /// Starts a workflow; several inputs are a tuple. Await it: the run is durable when it gives a handle.
    #[expect(clippy::needless_pass_by_value, reason = "the caller is done with its input")]
    pub fn start<M, F: WorkflowFn<M>>(
        &self,
        _workflow: F,
        input: <F::Workflow as Workflow>::Input,
    ) -> StartCall<F::Workflow> {
        StartCall::new(self.inner.clone(), &input)
    }

    /// The newest run of the workflow `id`, whatever its types.
    pub fn handle(&self, id: impl AsRef<str>) -> RunHandle {
        RunHandle::new(self.inner.clone(), WorkflowId::new(id), None)
    }

    /// The newest run of the workflow `id`, which was started as `workflow`.
    pub fn handle_of<M, F: WorkflowFn<M>>(
        &self,
        _workflow: F,
        id: impl AsRef<str>,
    ) -> WorkflowHandle<F::Workflow> {
        WorkflowHandle::new(self.handle(id))
    }

    /// Runs one activity without a workflow; several inputs are a tuple. Await it for the result.
    #[expect(clippy::needless_pass_by_value, reason = "the caller is done with its input")]
    pub fn run<M, F: StubFn<M>>(
        &self,
        _activity: F,
        input: <F::Activity as Activity>::Input,
    ) -> RunActivityCall<F::Activity> {
        RunActivityCall::new(self.inner.clone(), &input)
    }

    /// Runs, newest first: at most `limit`, from after `after` on.
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
        self.inner.list(filter, after, limit).await
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
        self.inner.dead_letters(after, limit).await
    }
}

/// The id of a workflow whose caller names none.
fn fresh_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};

    // Each state has keys from the system's random source; a keyed hash of nothing is as random as they are.
    let draw = || RandomState::new().build_hasher().finish();
    let random = (u128::from(draw()) << 64) | u128::from(draw());
    uuid::Builder::from_random_bytes(random.to_be_bytes()).into_uuid().to_string()
}
