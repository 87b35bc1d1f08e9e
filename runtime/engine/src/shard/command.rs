//! What the commands of an activation open, cancel and end.

use steadfast_core::EventId;
use steadfast_core::history::{ActivityScheduled, Event, EventKind, StepStarted, TimerStarted};
use steadfast_core::machine::{Task, TaskEvent};
use steadfast_store::StoreError;

use super::items::Facts;
use super::machine::Shard;
use super::work::Work;
use crate::head::{ItemBody, TaskItem, TimerItem};

impl Shard {
    pub(super) fn follow_commands(&mut self, work: &mut Work, events: &[Event]) -> Result<(), StoreError> {
        for event in events {
            match &event.kind {
                EventKind::ActivityScheduled(scheduled) => self.open_activity(work, event, scheduled)?,
                EventKind::StepStarted(started) => self.open_step(work, event, started)?,
                EventKind::TimerStarted(started) => open_timer(work, event.id, started),
                EventKind::ActivityCancelRequested(e) => self.cancel_task(work, e.scheduled)?,
                EventKind::TimerCancelled(e) => cancel_timer(work, e.started),
                EventKind::WorkflowStarted(_)
                | EventKind::ActivityCompleted(_)
                | EventKind::ActivityFailed(_)
                | EventKind::ActivityTimedOut(_)
                | EventKind::ActivityCancelled(_)
                | EventKind::TimerFired(_)
                | EventKind::CancelRequested(_)
                | EventKind::StepCompleted(_)
                | EventKind::StepFailed(_)
                | EventKind::OperatorDecided(_)
                | EventKind::SideEffectRecorded(_)
                | EventKind::CompensationStarted(_)
                | EventKind::CompensationFinished(_)
                | EventKind::WorkflowCompleted(_)
                | EventKind::WorkflowFailed(_)
                | EventKind::WorkflowCancelled(_)
                | EventKind::WorkflowTimedOut(_)
                | EventKind::WorkflowTerminated(_) => {}
            }
        }
        Ok(())
    }

    fn open_activity(
        &mut self,
        work: &mut Work,
        event: &Event,
        scheduled: &ActivityScheduled,
    ) -> Result<(), StoreError> {
        let task = Task::activity(event.id, event.at, scheduled);
        let item = TaskItem { task, undoes: scheduled.undoes };
        let facts =
            Facts { input: scheduled.input.clone(), idempotency_key: scheduled.idempotency_key.clone() };
        self.open_task(work, item, Some(facts))
    }

    fn open_step(&mut self, work: &mut Work, event: &Event, started: &StepStarted) -> Result<(), StoreError> {
        let task = Task::step(event.id, event.at, started, &work.run.fields.queue);
        self.open_task(work, TaskItem { task, undoes: None }, None)
    }

    fn open_task(&mut self, work: &mut Work, item: TaskItem, facts: Option<Facts>) -> Result<(), StoreError> {
        let id = item.task.item;
        work.run.add_item(ItemBody::Task(Box::new(item)), facts);
        work.touch(id);
        self.place(work, id)
    }

    fn cancel_task(&mut self, work: &mut Work, id: EventId) -> Result<(), StoreError> {
        let at = self.now();
        let Some(task) = work.run.task_mut(id) else {
            // What closes it waits in the mailbox; it is fitted to this when it is admitted.
            work.run.fields.settled.push(id);
            return Ok(());
        };
        match task.apply(TaskEvent::CancelRequested { at }) {
            Ok(outcome) => self.follow_task(work, id, outcome),
            Err(refused) => {
                tracing::error!(%id, %refused, "a cancel does not fit its activity");
                Ok(())
            }
        }
    }
}

fn open_timer(work: &mut Work, id: EventId, started: &TimerStarted) {
    let TimerStarted { due, follows_wall_clock, .. } = *started;
    work.run.add_item(ItemBody::Timer(TimerItem { started: id, due, follows_wall_clock }), None);
    work.touch(id);
}

fn cancel_timer(work: &mut Work, id: EventId) {
    if work.run.items.contains_key(&id) {
        work.remove_item(id);
    } else {
        work.run.fields.settled.push(id);
    }
}
