//! Tasks that wait for a slot, the oldest first.

use std::collections::BTreeMap;

use steadfast_core::{ActivityName, EventId, QueueName, RunId, ShardId};

use super::breakers::BreakerId;

/// Names a task of an open run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskRef {
    pub(crate) shard: ShardId,
    pub(crate) run: RunId,
    pub(crate) item: EventId,
}

/// What a task needs of a worker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Want {
    /// Anybody who serves the workflow's queue.
    Step,
    /// Somebody who has the activity, and a breaker that lets it through, if it has one.
    Activity(ActivityName, Option<BreakerId>),
}

impl Want {
    pub(crate) fn breaker(&self) -> Option<&BreakerId> {
        match self {
            Self::Step => None,
            Self::Activity(_, breaker) => breaker.as_ref(),
        }
    }
}

/// Where a waiting task stands.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) queue: QueueName,
    pub(crate) want: Want,
    sequence: u64,
    /// Whether the task is marked as one that nobody can run.
    pub(crate) is_marked: bool,
}

/// All waiting tasks.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    lines: BTreeMap<(QueueName, Want), BTreeMap<u64, TaskRef>>,
    places: BTreeMap<TaskRef, Place>,
    next: u64,
}

impl Waiting {
    /// Adds a task at the end, unless it waits already.
    pub(crate) fn join(&mut self, task: TaskRef, queue: &QueueName, want: &Want, is_marked: bool) {
        if let Some(place) = self.places.get_mut(&task) {
            place.is_marked = is_marked;
            return;
        }
        self.next += 1;
        let sequence = self.next;
        self.lines.entry((queue.clone(), want.clone())).or_default().insert(sequence, task);
        let place = Place { queue: queue.clone(), want: want.clone(), sequence, is_marked };
        self.places.insert(task, place);
    }

    pub(crate) fn contains(&self, task: &TaskRef) -> bool {
        self.places.contains_key(task)
    }

    pub(crate) fn leave(&mut self, task: &TaskRef) {
        let Some(place) = self.places.remove(task) else { return };
        let line = (place.queue, place.want);
        if let Some(tasks) = self.lines.get_mut(&line) {
            tasks.remove(&place.sequence);
            if tasks.is_empty() {
                self.lines.remove(&line);
            }
        }
    }

    pub(crate) fn leave_all(&mut self, shard: ShardId) {
        let tasks: Vec<TaskRef> = self.of_shard(shard).map(|(task, _)| *task).collect();
        for task in tasks {
            self.leave(&task);
        }
    }

    /// The waiting tasks of a shard.
    pub(crate) fn of_shard(&self, shard: ShardId) -> impl Iterator<Item = (&TaskRef, &Place)> {
        let first = TaskRef { shard, run: RunId::from_bytes([0; 16]), item: EventId(0) };
        self.places.range(first..).take_while(move |(task, _)| task.shard == shard)
    }

    pub(crate) fn mark(&mut self, task: &TaskRef, is_marked: bool) {
        if let Some(place) = self.places.get_mut(task) {
            place.is_marked = is_marked;
        }
    }

    /// What a waiting task wants.
    pub(crate) fn want(&self, task: &TaskRef) -> Option<&Want> {
        self.places.get(task).map(|place| &place.want)
    }

    /// The task of `queue` that has waited longest among those that `may_run` lets through.
    pub(crate) fn oldest(&self, queue: &QueueName, may_run: impl Fn(&Want) -> bool) -> Option<TaskRef> {
        self.lines
            .range((queue.clone(), FIRST)..)
            .take_while(|((of, _), _)| of == queue)
            .filter(|((_, want), _)| may_run(want))
            .filter_map(|(_, tasks)| tasks.first_key_value())
            .min_by_key(|(sequence, _)| **sequence)
            .map(|(_, task)| *task)
    }
}

/// The first of all wants, where the scan of a queue begins.
const FIRST: Want = Want::Step;
