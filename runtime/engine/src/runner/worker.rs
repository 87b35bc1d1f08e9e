//! Workers: what serves a queue.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{ActivityName, ActivityOptions, QueueName, WorkflowType};

use super::engine::Inner;
use super::router::ThreadMessage;
use crate::activity::ActivityBody;
use crate::message::ShardMessage;
use crate::registry::{SLOTS, WorkerId, WorkerSpec};

/// A worker that cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// Two workflow functions have the same name and version.
    #[error(
        "workflow `{name}` version {version} is registered twice on one worker; \
         register it once, or give one of them another name or version"
    )]
    DuplicateWorkflow {
        /// The name.
        name: WorkflowType,
        /// The version.
        version: u32,
    },
    /// Two activities have the same name.
    #[error(
        "activity `{0}` is registered twice on one worker; register it once, or give one of them another name"
    )]
    DuplicateActivity(ActivityName),
    /// A worker without slots runs nothing.
    #[error("a worker needs at least one slot")]
    NoSlots,
    /// The engine stops or has stopped.
    #[error("the engine is shutting down or was shut down; open another one")]
    ShuttingDown,
}

/// Collects what a worker serves. Made by [`crate::Engine::worker`].
#[must_use = "a worker serves nothing until it is started"]
pub struct WorkerBuilder {
    inner: Arc<Inner>,
    spec: WorkerSpec,
    duplicate: Option<ActivityName>,
}

impl fmt::Debug for WorkerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerBuilder").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl WorkerBuilder {
    pub(super) fn new(inner: Arc<Inner>, queue: QueueName) -> Self {
        let spec = WorkerSpec {
            queue,
            definitions: Vec::new(),
            activities: BTreeMap::new(),
            defaults: ActivityOptions::default(),
            slots: SLOTS,
        };
        Self { inner, spec, duplicate: None }
    }

    /// Adds a workflow function.
    pub fn workflow(mut self, definition: Arc<dyn Definition>) -> Self {
        self.spec.definitions.push(definition);
        self
    }

    /// Adds an activity.
    pub fn activity(mut self, name: ActivityName, body: ActivityBody) -> Self {
        if self.spec.activities.insert(name.clone(), body).is_some() {
            self.duplicate = Some(name);
        }
        self
    }

    /// What holds for activities of the queue where a call says nothing.
    pub fn defaults(mut self, defaults: ActivityOptions) -> Self {
        self.spec.defaults = defaults;
        self
    }

    /// How many bodies run at a time. Default [`SLOTS`].
    pub fn slots(mut self, slots: usize) -> Self {
        self.spec.slots = slots;
        self
    }

    /// Starts the worker. What waited for it begins at once.
    ///
    /// # Errors
    ///
    /// [`WorkerError`] if something is registered twice or the engine stops.
    pub fn start(self) -> Result<Worker, WorkerError> {
        if let Some(name) = self.duplicate {
            return Err(WorkerError::DuplicateActivity(name));
        }
        if self.spec.slots == 0 {
            return Err(WorkerError::NoSlots);
        }
        for (index, definition) in self.spec.definitions.iter().enumerate() {
            let (name, version) = (definition.workflow_type(), definition.version());
            let is_same =
                |other: &Arc<dyn Definition>| other.workflow_type() == name && other.version() == version;
            if self.spec.definitions.iter().skip(index + 1).any(is_same) {
                return Err(WorkerError::DuplicateWorkflow { name: name.clone(), version });
            }
        }
        if self.inner.shared().is_stopping() {
            return Err(WorkerError::ShuttingDown);
        }
        let (id, shared) = (self.inner.new_worker_id(), self.inner.shared());
        let offers = {
            let mut registry = shared.registry_mut();
            let offers = shared.dispatcher().add_worker(id, &self.spec);
            registry.add(id, self.spec);
            offers
        };
        for offer in offers {
            self.inner.router().send(offer.task.shard, ShardMessage::Offered(offer));
        }
        self.inner.router().broadcast(|| ThreadMessage::WorkersChanged);
        Ok(Worker { inner: self.inner, id })
    }
}

/// A worker that serves its queue. Dropping this does not stop it.
pub struct Worker {
    inner: Arc<Inner>,
    id: WorkerId,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Worker {
    /// Takes nothing more. Bodies that run go on to their end, and their results count.
    pub fn stop(&self) {
        let shared = self.inner.shared();
        {
            let mut registry = shared.registry_mut();
            shared.dispatcher().remove_worker(self.id);
            registry.remove(self.id);
        }
        self.inner.router().broadcast(|| ThreadMessage::WorkersChanged);
    }
}
