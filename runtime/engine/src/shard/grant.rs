//! Slots and grants: who may run an attempt, and the record that it begins.

use std::sync::Arc;

use steadfast_core::machine::{Task, TaskEvent, TaskKind, TaskState};
use steadfast_core::{ActivityName, EventId, IdempotencyKey};
use steadfast_store::{StoreError, Write};

use super::items::Facts;
use super::load::Opened;
use super::machine::{AttemptEntry, AttemptPhase, Shard};
use super::run::LiveRun;
use super::work::Work;
use crate::activity::{AttemptInfo, AttemptKey};
use crate::dispatch::{Acquired, BreakerId, Offer, Seek, Slot, TaskRef, Want};
use crate::message::{Attempt, Body, Effect};
use crate::registry::WorkerId;

/// Steps of a workflow have no key; this stands for one where one is asked for.
const STEP_ACTIVITY: &str = "step";

fn want(task: &Task) -> Want {
    match &task.kind {
        TaskKind::Activity(name) => {
            let breaker = task.options.circuit_breaker.as_ref();
            let id = |key: &str| BreakerId { activity: name.clone(), key: key.into() };
            Want::Activity(name.clone(), breaker.map(|breaker| id(breaker.key_text())))
        }
        TaskKind::Step(_) => Want::Step,
    }
}

impl Shard {
    pub(super) fn task_ref(&self, run: &LiveRun, item: EventId) -> TaskRef {
        TaskRef { shard: self.id, run: run.id(), item }
    }

    pub(super) fn key(&self, run: &LiveRun, task: &Task) -> AttemptKey {
        AttemptKey { shard: self.id, run: run.id(), item: task.item, attempt: task.attempt }
    }

    /// Finds a slot for a task that is ready; without one it waits.
    pub(super) fn place(&mut self, work: &mut Work, id: EventId) -> Result<(), StoreError> {
        let task_ref = self.task_ref(&work.run, id);
        let Some(task) = work.run.task(id).filter(|task| task.state == TaskState::Pending) else {
            return Ok(());
        };
        let spare = work.spare.map(|spare| spare.worker);
        let acquired = self.shared.dispatcher().acquire(Seek {
            queue: &task.options.queue,
            want: &want(task),
            task: task_ref,
            breaker: task.options.circuit_breaker.as_ref(),
            spare,
            now: self.now(),
        });
        let waits_for = match acquired {
            Acquired::Slot { slot, is_spare } => {
                if is_spare && let Some(spare) = work.spare.take() {
                    self.take_slot_of(spare.key);
                }
                return self.grant(work, id, slot);
            }
            Acquired::Waits => None,
            Acquired::NotRegistered(reason) => Some(reason),
        };
        self.mark(work, id, waits_for);
        Ok(())
    }

    /// Notes why nobody runs a task.
    pub(super) fn mark(&self, work: &mut Work, id: EventId, waits_for: Option<String>) {
        if let Some(task) = work.run.task_mut(id)
            && task.waits_for != waits_for
        {
            task.waits_for = waits_for;
            work.touch(id);
        }
    }

    /// The attempt that had the slot no longer has it: another one took it over.
    fn take_slot_of(&mut self, key: AttemptKey) {
        if let Some(entry) = self.attempts.get_mut(&key) {
            entry.slot = None;
        }
    }

    /// Begins the next attempt of a task in a slot that was taken for it.
    fn grant(&mut self, work: &mut Work, id: EventId, slot: Slot) -> Result<(), StoreError> {
        let worker = slot.worker;
        self.hand.slot = Some(slot);
        let body = self.body(&mut work.run, id, worker);
        let slot = self.hand.slot.take();
        let body = match body {
            Ok(Ok(body)) => body,
            Ok(Err(reason)) => {
                self.give_up_slot(slot);
                tracing::error!(run = %work.run.id(), item = %id, %reason, "an attempt cannot begin");
                self.mark(work, id, Some(reason));
                return Ok(());
            }
            Err(error) => {
                self.give_up_slot(slot);
                return Err(error);
            }
        };
        let (session, at) = (self.session, self.now());
        let granted = work.run.task_mut(id).map(|task| task.apply(TaskEvent::Granted { session, at }));
        if !matches!(granted, Some(Ok(_))) {
            self.give_up_slot(slot);
            return Ok(());
        }
        work.touch(id);
        if let Some(permit) = slot.as_ref().and_then(|slot| slot.permit.as_ref()) {
            work.writes.extend(self.shared.dispatcher().breaker_row(permit).map(Write::PutBreaker));
        }
        let Some(task) = work.run.task(id) else { return Ok(()) };
        let key = self.key(&work.run, task);
        let attempt = attempt_of(&work.run, task, key, body);
        let entry = AttemptEntry { phase: AttemptPhase::Granted, slot, is_confirmed: true, is_ending: false };
        // A grant of the same number that was lost with the shard's memory still has its slot.
        if let Some(lost) = self.attempts.insert(key, entry) {
            self.give_up_slot(lost.slot);
        }
        work.effects.push(Effect::Begin(Box::new(attempt)));
        Ok(())
    }

    /// What runs the next attempt. The inner error is why nothing can.
    fn body(
        &mut self,
        run: &mut LiveRun,
        id: EventId,
        worker: WorkerId,
    ) -> Result<Result<(Body, Arc<Facts>), String>, StoreError> {
        let kind = run.task(id).map(|task| task.kind.clone());
        match kind {
            Some(TaskKind::Activity(name)) => {
                let Some(body) = self.shared.dispatcher().body(worker, &name) else {
                    return Ok(Err(format!("not registered: {name}")));
                };
                Ok(self.facts(run, id)?.map(|facts| (Body::Activity(body), facts)))
            }
            Some(TaskKind::Step(name)) => {
                // A step that was just started has its executor: a missing one means that the run is at rest.
                if let Err(blocked) = self.ensure_executor(run)? {
                    return Ok(Err(blocked.reason));
                }
                let body = run.executor.as_ref().and_then(|executor| executor.step_body(id));
                let Some(body) = body else { return Ok(Err(format!("the step `{name}` has no closure"))) };
                let key = format!("{}/{id}", run.id());
                let facts = IdempotencyKey::new(key).map_err(|error| error.to_string()).map(|key| {
                    Arc::new(Facts { input: steadfast_core::Payload::null(), idempotency_key: key })
                });
                Ok(facts.map(|facts| (Body::Step(body), facts)))
            }
            None => Ok(Err("the task is over".to_owned())),
        }
    }

    /// A slot is free for a task that waited.
    pub(super) fn offered(&mut self, offer: Offer) -> Result<(), StoreError> {
        let Offer { task, slot } = offer;
        let mut work = match self.open(task.run) {
            Ok(Opened::Run(work)) => work,
            Ok(Opened::Missing | Opened::Unreadable(_)) => {
                self.release_slot(slot);
                return Ok(());
            }
            Err(error) => {
                self.release_slot(slot);
                return Err(error);
            }
        };
        let is_ready = work.run.task(task.item).is_some_and(|task| task.state == TaskState::Pending);
        if is_ready && !work.run.is_closed() {
            self.shared.dispatcher().forget(&task);
            self.grant(&mut work, task.item, slot)?;
        } else {
            self.release_slot(slot);
        }
        self.submit(*work);
        Ok(())
    }

    /// An attempt that was granted durably but never begun, because the answer of the store was lost.
    pub(super) fn begin_again(&mut self, run: &mut LiveRun, key: AttemptKey) -> Result<(), StoreError> {
        let slot = self.attempts.get(&key).and_then(|entry| entry.slot.as_ref());
        let Some(worker) = slot.map(|slot| slot.worker) else { return Ok(()) };
        if let Ok(body) = self.body(run, key.item, worker)?
            && let Some(task) = run.task(key.item)
        {
            let attempt = attempt_of(run, task, key, body);
            if let Some(entry) = self.attempts.get_mut(&key) {
                entry.phase = AttemptPhase::Begun;
            }
            self.out.begin.push(attempt);
        }
        Ok(())
    }
}

fn attempt_of(run: &LiveRun, task: &Task, key: AttemptKey, (body, facts): (Body, Arc<Facts>)) -> Attempt {
    let started_at = match task.state {
        TaskState::Running { since, .. } => since,
        TaskState::Pending | TaskState::RetryWait { .. } => task.scheduled_at,
    };
    let activity = match &task.kind {
        TaskKind::Activity(name) => Some(name.clone()),
        TaskKind::Step(name) => ActivityName::new(name).or_else(|_| ActivityName::new(STEP_ACTIVITY)).ok(),
    };
    #[expect(clippy::expect_used, reason = "the constant name is a valid one")]
    let activity = activity.expect("a step has a name");
    let info = AttemptInfo {
        workflow_id: run.head.workflow_id.clone(),
        workflow_type: run.head.workflow_type.clone(),
        run_id: run.id(),
        scheduled: task.item,
        activity,
        queue: task.options.queue.clone(),
        attempt: task.attempt,
        idempotency_key: facts.idempotency_key.clone(),
        scheduled_at: task.scheduled_at,
        started_at,
        details: task.details.clone(),
        heartbeat: task.options.heartbeat,
        start_to_close: task.options.start_to_close,
    };
    Attempt { key, info, input: facts.input.clone(), body }
}
