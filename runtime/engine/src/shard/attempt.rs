//! What attempts say: results and heartbeats; and what follows for their task.

use futures::channel::oneshot;
use steadfast_core::history::EventKind;
use steadfast_core::machine::{TaskEvent, TaskKind, TaskOutcome, TaskRefused};
use steadfast_core::{AttemptError, EventId, Payload, Severity};
use steadfast_store::{StoreError, Write};

use super::activate::undo_failed;
use super::load::Opened;
use super::machine::Shard;
use super::run::LiveRun;
use super::work::{Spare, Work};
use crate::activity::{AttemptKey, Stop};
use crate::head::DeadLetterBody;
use crate::message::{Answer, BeatFate, Effect};

impl Shard {
    /// A body is over.
    pub(super) fn attempt_ended(
        &mut self,
        key: AttemptKey,
        result: Result<Payload, AttemptError>,
        details: Option<Payload>,
    ) -> Result<(), StoreError> {
        let Opened::Run(mut work) = self.open(key.run)? else {
            self.forget_attempt(key);
            return Ok(());
        };
        if details.is_some() {
            let beat = TaskEvent::Heartbeat { attempt: key.attempt, details, at: self.now() };
            // A refusal here is repeated, and reported, by the end itself.
            drop(work.run.task_mut(key.item).map(|task| task.apply(beat)));
        }
        let result = within_limits(&work.run, key, result);
        let alert = result.as_ref().err().and_then(|error| alert(&work.run, key, error));
        let (at, draw) = (self.now(), self.random.draw());
        let ended = TaskEvent::Ended { attempt: key.attempt, result, at, draw };
        let outcome = match work.run.task_mut(key.item) {
            Some(task) => task.apply(ended),
            None => Err(TaskRefused::NotCurrent { attempt: key.attempt, current: 0, running: false }),
        };
        match outcome {
            Ok(outcome) => {
                work.run.fields.attention.extend(alert);
                self.follow_task(&mut work, key.item, outcome)?;
                self.process(&mut work)?;
            }
            Err(refused) => {
                tracing::debug!(run_id = %key.run, item = %key.item, %refused, "a late result is refused");
                self.end_attempt(&mut work, key);
            }
        }
        self.submit(*work);
        Ok(())
    }

    /// An attempt of a run that is not there or cannot be read.
    pub(super) fn forget_attempt(&mut self, key: AttemptKey) {
        if let Some(entry) = self.attempts.remove(&key) {
            self.give_up_slot(entry.slot);
        }
    }

    /// A body shows that it is alive.
    pub(super) fn heartbeat(
        &mut self,
        key: AttemptKey,
        details: Option<Payload>,
        reply: oneshot::Sender<BeatFate>,
    ) -> Result<(), StoreError> {
        let mut work = match self.open(key.run) {
            Ok(Opened::Run(work)) => work,
            Ok(Opened::Missing | Opened::Unreadable(_)) => {
                let _ = reply.send(BeatFate::Refused);
                return Ok(());
            }
            Err(error) => {
                let _ = reply.send(BeatFate::Again);
                return Err(error);
            }
        };
        let beat = TaskEvent::Heartbeat { attempt: key.attempt, details, at: self.now() };
        match work.run.task_mut(key.item).map(|task| task.apply(beat)) {
            Some(Ok(_)) => {
                work.touch(key.item);
                work.effects.push(Effect::Answer(Answer::beat(reply)));
            }
            Some(Err(_)) | None => drop(reply.send(BeatFate::Refused)),
        }
        self.submit(*work);
        Ok(())
    }

    /// Does what follows from an event of a task.
    pub(super) fn follow_task(
        &mut self,
        work: &mut Work,
        id: EventId,
        outcome: TaskOutcome,
    ) -> Result<(), StoreError> {
        work.touch(id);
        let Some(task) = work.run.task(id) else { return Ok(()) };
        let key = self.key(&work.run, task);
        if let Some(attempt) = outcome.attempt_over {
            let key = AttemptKey { attempt, ..key };
            self.tell_breaker(work, key);
            if let Some(slot) = self.attempts.get(&key).and_then(|entry| entry.slot.as_ref()) {
                work.spare = Some(Spare { key, worker: slot.worker });
            }
            self.end_attempt(work, key);
        }
        if let Some(signal) = outcome.body {
            let stop = match signal {
                steadfast_core::machine::BodySignal::Cancel => Stop::Cancel,
                steadfast_core::machine::BodySignal::Drop => Stop::Drop,
            };
            work.effects.push(Effect::Stop(key, stop));
        }
        if let Some(closed) = outcome.closed {
            if outcome.exhausted {
                self.write_dead_letter(work, id)?;
            }
            note_undo(&mut work.run, id, &closed);
            let task_ref = self.task_ref(&work.run, id);
            self.shared.dispatcher().forget(&task_ref);
            work.remove_item(id);
            work.arrive(closed);
            return Ok(());
        }
        if outcome.ready { self.place(work, id) } else { Ok(()) }
    }

    /// Attempts or time ran out: what an operator needs to look at it or run it again.
    fn write_dead_letter(&self, work: &mut Work, id: EventId) -> Result<(), StoreError> {
        let Some(item) = work.run.items.get(&id).and_then(|item| item.task()) else { return Ok(()) };
        let (task, undoes) = (item.task.clone(), item.undoes);
        let TaskKind::Activity(activity) = task.kind.clone() else { return Ok(()) };
        let facts = match self.facts(&work.run, id)? {
            Ok(facts) => facts,
            Err(reason) => {
                tracing::error!(run_id = %work.run.id(), item = %id, %reason, "a dead letter has no input");
                return Ok(());
            }
        };
        let timeout = AttemptError::TimedOut(steadfast_core::TimeoutKind::ScheduleToClose);
        let error = task.failures.last().map_or(timeout, |failure| failure.error.clone());
        let body = DeadLetterBody {
            queue: task.options.queue.clone(),
            undoes,
            input: facts.input.clone(),
            idempotency_key: facts.idempotency_key.clone(),
            error,
            attempts: task.summary(),
        };
        let run = &mut work.run;
        match steadfast_core::codec::encode(&body) {
            Ok(body) => work.writes.push(Write::PutDeadLetter(steadfast_store::DeadLetterRow {
                at: self.now(),
                shard: self.id,
                run_id: run.id(),
                workflow_id: run.head.workflow_id.clone(),
                scheduled: id,
                activity: activity.clone(),
                body,
            })),
            Err(error) => {
                tracing::error!(run_id = %run.id(), item = %id, %error, "a dead letter is too large")
            }
        }
        Ok(())
    }
}

/// An undo that did not succeed needs attention until it does.
fn note_undo(run: &mut LiveRun, id: EventId, closed: &EventKind) {
    let Some(item) = run.items.get(&id).and_then(|item| item.task()) else { return };
    let Some(step) = item.undoes else { return };
    let text = undo_failed(item.task.name(), Some(step));
    run.fields.attention.retain(|known| *known != text);
    if !matches!(closed, EventKind::ActivityCompleted(_)) {
        run.fields.attention.push(text);
    }
}

/// What people have to know of a failed attempt, by its own word.
fn alert(run: &LiveRun, key: AttemptKey, error: &AttemptError) -> Option<String> {
    error.severity().filter(|severity| *severity >= Severity::Alert)?;
    let name = run.task(key.item).map_or("?", |task| task.name());
    Some(format!("`{name}` (event {}) has to be compensated: {error}", key.item))
}

/// A result larger than the run allows is a final failure of the attempt; so are error details that are.
fn within_limits(
    run: &LiveRun,
    key: AttemptKey,
    result: Result<Payload, AttemptError>,
) -> Result<Payload, AttemptError> {
    let limit = run.fields.limits.payload_bytes_max;
    let name = || run.task(key.item).map_or("?", |task| task.name());
    match result {
        Ok(output) => {
            let what = || format!("result of `{}`", name());
            output.check_size(limit, what).map_err(AttemptError::TooLarge)?;
            Ok(output)
        }
        Err(AttemptError::Application(mut failure)) => {
            if failure.details.as_ref().is_some_and(|details| details.size() > limit) {
                failure.details = None;
                failure.causes.push("the error's value was too large to be recorded".to_owned());
            }
            Err(AttemptError::Application(failure))
        }
        Err(error) => Err(error),
    }
}
