//! Workers: what serves a task queue.

use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{ActivityName, ActivityOptions, InvalidId, QueueName};

use crate::activity::{Activity, StubFn};
use crate::activity_set::{Activities, ActivitySet};
use crate::private::NoState;
use crate::workflow::{Registered, WorkflowFn};

/// Collects what a worker serves. Made by [`Engine::worker`](crate::Engine::worker).
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn ping() -> Result<(), AnyFailure> { Ok(()) }
/// # #[workflow] async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> { Ok(ping(&ctx).await?) }
/// # struct Payments; impl Payments { fn new() -> Self { Self } }
/// # #[activity] impl Payments { #[activity] async fn charge(&self, n: u64) -> Result<u64, AnyFailure> { Ok(n) } }
/// # fn main() {}
/// # async fn f(engine: Engine) -> Result<(), Box<dyn std::error::Error>> {
/// let worker = engine
///     .worker("tours")
///     .workflow(tour)
///     .activities(activities![ping])
///     .activities(Payments::new())
///     .slots(20)
///     .start()
///     .await?;
/// # drop(worker); Ok(()) }
/// ```
#[must_use = "a worker serves nothing until it is started"]
#[derive(Debug)]
pub struct WorkerBuilder {
    inner: Result<steadfast_engine::WorkerBuilder, InvalidId>,
}

impl WorkerBuilder {
    pub(super) fn new(engine: &steadfast_engine::Engine, queue: &str) -> Self {
        Self { inner: QueueName::new(queue).map(|queue| engine.worker(queue)) }
    }

    fn with(
        self,
        change: impl FnOnce(steadfast_engine::WorkerBuilder) -> Result<steadfast_engine::WorkerBuilder, InvalidId>,
    ) -> Self {
        Self { inner: self.inner.and_then(change) }
    }

    /// Serves a workflow function.
    pub fn workflow<M, F: WorkflowFn<M>>(self, _workflow: F) -> Self {
        self.with(|inner| {
            let definition: Arc<dyn Definition> = Arc::new(Registered::<F::Workflow>::new()?);
            Ok(inner.workflow(definition))
        })
    }

    /// Serves an activity that is a function.
    pub fn activity<M, F>(self, _activity: F) -> Self
    where
        F: StubFn<M>,
        F::Activity: Activity<State: NoState>,
    {
        self.activities(Activities::new().with::<F::Activity>())
    }

    /// Serves several activities: `activities![..]`, or a value whose impl block is marked `#[activity]`.
    pub fn activities(self, set: impl ActivitySet) -> Self {
        let mut activities = Activities::new();
        set.register(&mut activities);
        self.with(|mut inner| {
            for (name, body) in activities.bodies {
                inner = inner.activity(ActivityName::new(name)?, body);
            }
            Ok(inner)
        })
    }

    /// What holds for the activities of this queue where neither declaration nor call says anything.
    pub fn defaults(self, defaults: ActivityOptions) -> Self {
        self.with(|inner| Ok(inner.defaults(defaults)))
    }

    /// How many bodies run at a time. Default 100.
    pub fn slots(self, slots: usize) -> Self {
        self.with(|inner| Ok(inner.slots(slots)))
    }

    /// Starts the worker. What waits for it in the store begins at once.
    ///
    /// # Errors
    ///
    /// [`WorkerError`] if something is registered twice, a name is not valid, or the engine stops.
    #[expect(clippy::unused_async, reason = "a store of several machines is asked when a worker starts")]
    pub async fn start(self) -> Result<Worker, WorkerError> {
        Ok(Worker { inner: self.inner?.start()? })
    }
}

/// A worker that serves its queue. Dropping this does not stop it; the engine's end does.
#[derive(Debug)]
pub struct Worker {
    inner: steadfast_engine::Worker,
}

impl Worker {
    /// Takes nothing more. Bodies that run go on to their end, and their results count.
    pub fn stop(&self) {
        self.inner.stop();
    }
}

/// A worker that cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The name of the queue, of a workflow or of an activity is not valid.
    #[error(transparent)]
    Name(#[from] InvalidId),
    /// The engine refuses it.
    #[error(transparent)]
    Engine(#[from] steadfast_engine::WorkerError),
}
