//! Open activities, steps and timers of a run, with what is counted and sorted by.

use std::sync::Arc;

use steadfast_core::machine::{Task, TaskState};
use steadfast_core::{EventId, IdempotencyKey, Payload, Timestamp};

use super::run::LiveRun;
use crate::head::{INLINE_ITEMS_MAX, ItemBody, TaskItem, TimerItem};

/// What a task needs to be run besides its state; kept until it is durable, then read from the history.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) input: Payload,
    pub(super) idempotency_key: IdempotencyKey,
}

/// What an item does to the run's due key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// Only time can make something happen.
    Idle,
    /// An attempt runs.
    Granted,
    /// It waits for a slot.
    Waiting,
    /// It waits, and nobody could run it.
    Marked,
}

/// An open item in memory.
#[derive(Debug)]
pub(super) struct LiveItem {
    pub(super) body: ItemBody,
    pub(super) facts: Option<Arc<Facts>>,
    /// Whether it lies in the head, or is a row of its own.
    pub(super) is_inline: bool,
    /// Whether its row is stored, or will be.
    pub(super) is_stored: bool,
    load: Load,
    engine: Option<Timestamp>,
    wall: Option<Timestamp>,
}

impl LiveItem {
    fn new(body: ItemBody, is_inline: bool, is_stored: bool) -> Self {
        Self { body, facts: None, is_inline, is_stored, load: Load::Idle, engine: None, wall: None }
    }

    pub(super) fn task(&self) -> Option<&TaskItem> {
        match &self.body {
            ItemBody::Task(item) => Some(item),
            ItemBody::Timer(_) => None,
        }
    }
}

fn load_of(body: &ItemBody) -> Load {
    match body {
        ItemBody::Timer(_) => Load::Idle,
        ItemBody::Task(item) => match item.task.state {
            TaskState::Running { .. } => Load::Granted,
            TaskState::RetryWait { .. } => Load::Idle,
            TaskState::Pending if item.task.waits_for.is_some() => Load::Marked,
            TaskState::Pending => Load::Waiting,
        },
    }
}

fn deadlines_of(body: &ItemBody) -> (Option<Timestamp>, Option<Timestamp>) {
    match body {
        ItemBody::Timer(TimerItem { due, follows_wall_clock: true, .. }) => (None, Some(*due)),
        ItemBody::Timer(timer) => (Some(timer.due), None),
        ItemBody::Task(item) => (item.task.deadline(), None),
    }
}

impl LiveRun {
    /// Adds an item that was just opened. It has a place in the head if there is one.
    pub(super) fn add_item(&mut self, body: ItemBody, facts: Option<Facts>) {
        let is_inline = self.counts.inline < INLINE_ITEMS_MAX;
        let mut item = LiveItem::new(body, is_inline, false);
        item.facts = facts.map(Arc::new);
        self.insert(item);
    }

    /// Adds an item that was read from the store.
    pub(super) fn restore_item(&mut self, body: ItemBody, is_inline: bool) {
        self.insert(LiveItem::new(body, is_inline, !is_inline));
    }

    fn insert(&mut self, item: LiveItem) {
        let id = item.body.id();
        let count = if item.is_inline { &mut self.counts.inline } else { &mut self.counts.rows };
        *count += 1;
        self.items.insert(id, item);
        self.reindex(id);
    }

    /// Counts and sorts an item anew after it changed.
    pub(super) fn reindex(&mut self, id: EventId) {
        let Some(item) = self.items.get_mut(&id) else { return };
        let (load, (engine, wall)) = (load_of(&item.body), deadlines_of(&item.body));
        let old = (item.load, item.engine, item.wall);
        (item.load, item.engine, item.wall) = (load, engine, wall);
        self.unsort(id, old);
        self.count(load, 1);
        self.by_engine.extend(engine.map(|at| (at, id)));
        self.by_wall.extend(wall.map(|at| (at, id)));
    }

    fn unsort(&mut self, id: EventId, (load, engine, wall): (Load, Option<Timestamp>, Option<Timestamp>)) {
        self.count(load, -1);
        if let Some(at) = engine {
            self.by_engine.remove(&(at, id));
        }
        if let Some(at) = wall {
            self.by_wall.remove(&(at, id));
        }
    }

    pub(super) fn remove_item(&mut self, id: EventId) -> Option<LiveItem> {
        let item = self.items.remove(&id)?;
        self.unsort(id, (item.load, item.engine, item.wall));
        let count = if item.is_inline { &mut self.counts.inline } else { &mut self.counts.rows };
        *count -= 1;
        Some(item)
    }

    pub(super) fn task(&self, id: EventId) -> Option<&Task> {
        self.items.get(&id)?.task().map(|item| &item.task)
    }

    /// A task to change; [`LiveRun::reindex`] has to follow.
    pub(super) fn task_mut(&mut self, id: EventId) -> Option<&mut Task> {
        match &mut self.items.get_mut(&id)?.body {
            ItemBody::Task(item) => Some(&mut item.task),
            ItemBody::Timer(_) => None,
        }
    }
}
