//! Which workers there are, and which workflow functions they know.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{ActivityName, ActivityOptions, QueueName, WorkflowType};

use crate::activity::ActivityBody;
use crate::client::single::SingleActivity;

/// How many bodies a worker runs at a time when it is not told.
pub const SLOTS: usize = 100;

/// One worker of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkerId(pub(crate) u64);

/// What a worker serves.
#[derive(Clone)]
pub(crate) struct WorkerSpec {
    pub(crate) queue: QueueName,
    pub(crate) definitions: Vec<Arc<dyn Definition>>,
    pub(crate) activities: BTreeMap<ActivityName, ActivityBody>,
    pub(crate) defaults: ActivityOptions,
    pub(crate) slots: usize,
}

impl fmt::Debug for WorkerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerSpec").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// A workflow function with the options of its queue.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) definition: Arc<dyn Definition>,
    pub(crate) defaults: ActivityOptions,
}

/// The workflow functions of all workers of an engine.
#[derive(Default)]
pub(crate) struct Registry {
    workers: BTreeMap<WorkerId, WorkerSpec>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("workers", &self.workers).finish()
    }
}

impl Registry {
    pub(crate) fn add(&mut self, id: WorkerId, spec: WorkerSpec) {
        self.workers.insert(id, spec);
    }

    pub(crate) fn remove(&mut self, id: WorkerId) {
        self.workers.remove(&id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// A workflow function, the newest version if none is named. Of several workers the newest counts.
    pub(crate) fn find(
        &self,
        queue: &QueueName,
        workflow_type: &WorkflowType,
        version: Option<u32>,
    ) -> Option<Found> {
        let of_queue = || self.workers.values().rev().filter(|worker| worker.queue == *queue);
        if SingleActivity::is_named(workflow_type) {
            let defaults = of_queue().next().map(|worker| worker.defaults.clone()).unwrap_or_default();
            return Some(Found { definition: Arc::new(SingleActivity::default()), defaults });
        }
        of_queue()
            .flat_map(|worker| worker.definitions.iter().map(move |definition| (worker, definition)))
            .filter(|(_, definition)| definition.workflow_type() == workflow_type)
            .filter(|(_, definition)| version.is_none_or(|version| definition.version() == version))
            .fold(None, |best: Option<(&WorkerSpec, &Arc<dyn Definition>)>, next| match best {
                Some(best) if best.1.version() >= next.1.version() => Some(best),
                _ => Some(next),
            })
            .map(|(worker, definition)| Found {
                definition: Arc::clone(definition),
                defaults: worker.defaults.clone(),
            })
    }

    /// Why a function was not found, with those that would be.
    pub(crate) fn missing(
        &self,
        queue: &QueueName,
        workflow_type: &WorkflowType,
        version: Option<u32>,
    ) -> String {
        let mut known: Vec<String> = self
            .workers
            .values()
            .filter(|worker| worker.queue == *queue)
            .flat_map(|worker| &worker.definitions)
            .map(|definition| match version {
                Some(_) => format!("{} version {}", definition.workflow_type(), definition.version()),
                None => definition.workflow_type().to_string(),
            })
            .collect();
        known.sort_unstable();
        known.dedup();
        let version = version.map(|version| format!(" version {version}")).unwrap_or_default();
        format!(
            "workflow not registered on queue `{queue}`: {workflow_type}{version}; {}",
            known_names(&known)
        )
    }
}

/// "known: a, b", or that nothing is known.
pub(crate) fn known_names(names: &[String]) -> String {
    if names.is_empty() { "known: none".to_owned() } else { format!("known: {}", names.join(", ")) }
}
