//! Slots of workers: taken with a grant, given back when the grant has durably ended.

use std::collections::BTreeMap;
use std::fmt;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use steadfast_core::{ActivityName, CircuitBreaker, QueueName, ShardId, Timestamp};

use super::breakers::{Breakers, Permit};
use super::queue::{TaskRef, Waiting, Want};
use crate::activity::ActivityBody;
use crate::registry::{WorkerId, WorkerSpec, known_names};

/// The right to run one attempt: a place in a worker, and the permit of a breaker if the activity has one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) worker: WorkerId,
    pub(crate) permit: Option<Permit>,
}

/// A slot that waits for a task's shard to use it or give it back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) task: TaskRef,
    pub(crate) slot: Slot,
}

/// A task that looks for a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seek<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) want: &'a Want,
    pub(crate) task: TaskRef,
    /// The numbers of the breaker that it wants.
    pub(crate) breaker: Option<&'a CircuitBreaker>,
    /// The worker of a slot that the same transition gives back; it is used only if nobody waits for it.
    pub(crate) spare: Option<WorkerId>,
    pub(crate) now: Timestamp,
}

/// What became of a task that wants to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Acquired {
    /// It has a slot; `is_spare` if its worker's is the one that was brought along.
    Slot { slot: Slot, is_spare: bool },
    /// It waits for a slot, and will be offered one.
    Waits,
    /// It waits, and at the moment nobody could run it.
    NotRegistered(String),
}

struct Worker {
    queue: QueueName,
    activities: BTreeMap<ActivityName, ActivityBody>,
    limit: usize,
    in_use: usize,
}

impl Worker {
    fn serves(&self, want: &Want) -> bool {
        match want {
            Want::Activity(name, _) => self.activities.contains_key(name),
            Want::Step => true,
        }
    }
}

/// All slots of an engine, and who waits for them.
#[derive(Default)]
pub(crate) struct Dispatcher {
    workers: BTreeMap<WorkerId, Worker>,
    pub(super) waiting: Waiting,
    pub(super) breakers: Breakers,
    /// When a breaker is tried again, in microseconds, for whoever must not wait for the dispatcher.
    pub(super) next_trial: Arc<AtomicU64>,
    /// Nothing is granted any more.
    is_stopping: bool,
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

impl Dispatcher {
    /// One that goes on with breakers as the store has them, and tells through `next_trial` when one is tried again.
    pub(crate) fn new(breakers: Breakers, next_trial: Arc<AtomicU64>) -> Self {
        let new = Self { breakers, next_trial, ..Self::default() };
        new.tell_trial();
        new
    }

    /// A slot for a task, or a place in its line.
    pub(crate) fn acquire(&mut self, seek: Seek<'_>) -> Acquired {
        let Seek { queue, want, task, breaker, spare, now } = seek;
        if let Some((id, options)) = want.breaker().zip(breaker) {
            self.breakers.meet(id, options);
            self.breakers.tick(now);
            self.tell_trial();
        }
        let able = |worker: &Worker| worker.queue == *queue && worker.serves(want);
        if !self.workers.values().any(able) {
            self.waiting.join(task, queue, want, true);
            return Acquired::NotRegistered(self.reason(queue, want));
        }
        if self.is_stopping || self.waiting.contains(&task) || !self.breakers.admit(want) {
            self.waiting.join(task, queue, want, false);
            return Acquired::Waits;
        }
        let free = self.workers.iter_mut().find(|(_, worker)| able(worker) && worker.in_use < worker.limit);
        if let Some((id, worker)) = free {
            worker.in_use += 1;
            let slot = Slot { worker: *id, permit: self.breakers.pass(want) };
            return Acquired::Slot { slot, is_spare: false };
        }
        if let Some(id) = spare
            && let Some(worker) = self.workers.get(&id)
            && able(worker)
            && self.oldest_for(worker).is_none()
        {
            let slot = Slot { worker: id, permit: self.breakers.pass(want) };
            return Acquired::Slot { slot, is_spare: true };
        }
        self.waiting.join(task, queue, want, false);
        Acquired::Waits
    }

    /// The task that has waited longest for this worker.
    fn oldest_for(&self, worker: &Worker) -> Option<TaskRef> {
        self.waiting.oldest(&worker.queue, |want| worker.serves(want) && self.breakers.admit(want))
    }

    /// Gives a slot back, and offers what is free now to those who have waited longest for it.
    pub(crate) fn release(&mut self, slot: Slot) -> Vec<Offer> {
        let Slot { worker: id, permit } = slot;
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.in_use = worker.in_use.saturating_sub(1);
        }
        if permit.is_some_and(|permit| self.breakers.give_back(&permit)) {
            return self.offer_all();
        }
        self.offer(id).into_iter().collect()
    }

    fn offer(&mut self, id: WorkerId) -> Option<Offer> {
        let worker = self.workers.get(&id)?;
        if self.is_stopping || worker.in_use >= worker.limit {
            return None;
        }
        let task = self.oldest_for(worker)?;
        let permit = self.waiting.want(&task).and_then(|want| self.breakers.pass(want));
        self.waiting.leave(&task);
        self.workers.get_mut(&id)?.in_use += 1;
        Some(Offer { task, slot: Slot { worker: id, permit } })
    }

    /// Offers every slot that is free, after a breaker lets more through than before.
    pub(super) fn offer_all(&mut self) -> Vec<Offer> {
        let workers: Vec<WorkerId> = self.workers.keys().copied().collect();
        let mut offers = Vec::new();
        for id in workers {
            offers.extend(std::iter::from_fn(|| self.offer(id)));
        }
        offers
    }

    /// A task waits no more.
    pub(crate) fn forget(&mut self, task: &TaskRef) {
        self.waiting.leave(task);
    }

    /// No task of the shard waits any more.
    pub(crate) fn forget_shard(&mut self, shard: ShardId) {
        self.waiting.leave_all(shard);
    }

    pub(crate) fn body(&self, worker: WorkerId, activity: &ActivityName) -> Option<ActivityBody> {
        self.workers.get(&worker)?.activities.get(activity).cloned()
    }

    /// Adds a worker; its slots are offered at once.
    pub(crate) fn add_worker(&mut self, id: WorkerId, spec: &WorkerSpec) -> Vec<Offer> {
        let worker = Worker {
            queue: spec.queue.clone(),
            activities: spec.activities.clone(),
            limit: spec.slots,
            in_use: 0,
        };
        self.workers.insert(id, worker);
        std::iter::from_fn(|| self.offer(id)).collect()
    }

    /// Removes a worker. What its running bodies hold is no slot of anybody any more.
    pub(crate) fn remove_worker(&mut self, id: WorkerId) {
        self.workers.remove(&id);
    }

    /// Grants nothing from now on.
    pub(crate) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// How many slots are in use.
    pub(crate) fn in_use(&self) -> usize {
        self.workers.values().map(|worker| worker.in_use).sum()
    }

    /// Waiting tasks of a shard whose mark, or the reason in it, may be out of date, with what it has to be now.
    pub(crate) fn marks_to_change(&mut self, shard: ShardId) -> Vec<(TaskRef, Option<String>)> {
        let changed: Vec<_> = self
            .waiting
            .of_shard(shard)
            .filter_map(|(task, place)| {
                let is_served = self
                    .workers
                    .values()
                    .any(|worker| worker.queue == place.queue && worker.serves(&place.want));
                let reason = (!is_served).then(|| self.reason(&place.queue, &place.want));
                (!is_served || place.is_marked).then_some((*task, reason))
            })
            .collect();
        for (task, reason) in &changed {
            self.waiting.mark(task, reason.is_some());
        }
        changed
    }

    fn reason(&self, queue: &QueueName, want: &Want) -> String {
        let of_queue = || self.workers.values().filter(|worker| worker.queue == *queue);
        let mut known: Vec<String> =
            of_queue().flat_map(|worker| worker.activities.keys()).map(ToString::to_string).collect();
        known.sort_unstable();
        known.dedup();
        let nobody = if of_queue().next().is_none() {
            format!(" (no worker serves `{queue}`)")
        } else {
            String::new()
        };
        match want {
            Want::Activity(name, _) => format!("not registered: {name}; {}{nobody}", known_names(&known)),
            Want::Step => format!("no worker serves queue `{queue}`, which the step needs"),
        }
    }
}
