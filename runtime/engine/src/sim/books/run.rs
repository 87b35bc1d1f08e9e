//! What the books know of one run.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::exec::Executor;
use steadfast_core::history::{ActivityScheduled, Event, EventKind, TimerStarted};
use steadfast_core::machine::{RunMachine, Task, TaskState};
use steadfast_core::{EventId, RunId, SessionId, ShardId, Timestamp, WorkflowId};
use steadfast_store::RunHead;

use super::saga::SagaBook;
use crate::activity::AttemptKey;
use crate::head::{Fields, ItemBody};

/// One run, as it is committed.
pub(super) struct RunBook {
    pub(super) id: RunId,
    pub(super) shard: ShardId,
    pub(super) workflow: WorkflowId,
    pub(super) events: Vec<Event>,
    pub(super) machine: RunMachine,
    pub(super) hash: u32,
    pub(super) bytes: u64,
    pub(super) head: RunHead,
    pub(super) fields: Fields,
    /// Open items that lie in the head, and those with rows of their own.
    pub(super) inline: BTreeMap<EventId, ItemBody>,
    pub(super) rows: BTreeMap<EventId, ItemBody>,
    /// Activities, steps and timers that the history has opened and not closed.
    pub(super) open: BTreeSet<EventId>,
    pub(super) mail: BTreeSet<u64>,
    pub(super) dues: BTreeSet<Timestamp>,
    /// The code, run beside the committed history. `None` once the engine closed it, or before the first event.
    pub(super) shadow: Option<Executor>,
    pub(super) sagas: SagaBook,
}

impl RunBook {
    pub(super) fn new(shard: ShardId, head: RunHead, fields: Fields) -> Self {
        Self {
            id: head.run_id,
            shard,
            workflow: head.workflow_id.clone(),
            events: Vec::new(),
            machine: RunMachine::new(),
            hash: 0,
            bytes: 0,
            head,
            fields,
            inline: BTreeMap::new(),
            rows: BTreeMap::new(),
            open: BTreeSet::new(),
            mail: BTreeSet::new(),
            dues: BTreeSet::new(),
            shadow: None,
            sagas: SagaBook::default(),
        }
    }

    pub(super) fn items(&self) -> BTreeMap<EventId, ItemBody> {
        self.inline.iter().chain(&self.rows).map(|(id, item)| (*id, item.clone())).collect()
    }

    pub(super) fn task(&self, id: EventId) -> Option<&Task> {
        match self.inline.get(&id).or_else(|| self.rows.get(&id))? {
            ItemBody::Task(item) => Some(&item.task),
            ItemBody::Timer(_) => None,
        }
    }

    pub(super) fn key(&self, item: EventId, attempt: u32) -> AttemptKey {
        AttemptKey { shard: self.shard, run: self.id, item, attempt }
    }

    pub(super) fn running_of(&self, of: SessionId) -> usize {
        let runs = |item: &&ItemBody| match item {
            ItemBody::Task(item) => {
                matches!(item.task.state, TaskState::Running { session, .. } if session == of)
            }
            ItemBody::Timer(_) => false,
        };
        self.inline.values().chain(self.rows.values()).filter(runs).count()
    }

    pub(super) fn is_open(&self) -> bool {
        self.head.status.is_open()
    }

    pub(super) fn event(&self, id: EventId) -> Option<&Event> {
        let index = usize::try_from(id.0.checked_sub(1)?).ok()?;
        self.events.get(index)
    }

    pub(super) fn scheduled(&self, id: EventId) -> Option<(&Event, &ActivityScheduled)> {
        let event = self.event(id)?;
        let EventKind::ActivityScheduled(scheduled) = &event.kind else { return None };
        Some((event, scheduled))
    }

    pub(super) fn timer(&self, id: EventId) -> Option<&TimerStarted> {
        let EventKind::TimerStarted(started) = &self.event(id)?.kind else { return None };
        Some(started)
    }

    pub(super) fn describe(&self) -> String {
        let names: Vec<String> =
            self.events.iter().map(|event| format!("{} {}", event.id, event.kind.name())).collect();
        format!(
            "`{}` {:?} due {:?}, blocked {:?}: {}; open {:?}",
            self.workflow,
            self.head.status,
            self.head.due,
            self.fields.blocked.as_ref().map(|blocked| &blocked.reason),
            names.join(", "),
            self.items(),
        )
    }
}
