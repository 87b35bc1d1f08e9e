//! What happens next.

use std::time::Duration;

use futures::future::FutureExt;
use steadfast_core::history::CancelCause;
use steadfast_core::machine::{TaskEvent, TaskState};
use steadfast_core::{AttemptError, EventId, Payload, SessionId, Timestamp};
use steadfast_engine::sim::scripted_body;

use super::Drive;

/// From this attempt on nothing goes wrong with a body, so that every run ends.
const SUCCEEDS_FROM: u32 = 7;

impl Drive<'_> {
    /// Lets one thing happen, chosen among all that can.
    pub(super) fn act(&mut self) -> Result<(), String> {
        if self.dice.percent(30) {
            self.now = self.now.after(Duration::from_millis(self.dice.below(300)));
        }
        match self.dice.below(300) {
            0..3 if !self.is_cancelled => return self.cancel(),
            3..5 if self.imposed.is_none() => {
                let causes =
                    [CancelCause::RunTimeout, CancelCause::ExecutionTimeout, CancelCause::HistoryLimit(99)];
                let cause = causes[self.dice.index(causes.len())].clone();
                return self.impose(cause);
            }
            5 if self.imposed.is_none() && self.dice.percent(30) => {
                self.close_by_engine();
                return Ok(());
            }
            _ => {}
        }
        let count = self.inbox.len() + self.open.len() + self.timers.len();
        if count == 0 {
            return Err("nothing is pending, and it has not ended".to_owned());
        }
        let chosen = self.dice.index(count);
        if chosen < self.inbox.len() {
            let input = self.inbox.remove(chosen);
            return self.input(input);
        }
        let chosen = chosen - self.inbox.len();
        if let Some(id) = self.open.keys().nth(chosen).copied() {
            return self.act_on(id);
        }
        let timer = self.timers.iter().nth(chosen - self.open.len()).map(|(id, due)| (*id, *due));
        let (id, due) = timer.ok_or("no such timer")?;
        self.fire(id, due)
    }

    fn act_on(&mut self, id: EventId) -> Result<(), String> {
        let task = &self.open.get(&id).ok_or("not open")?.task;
        let (deadline, attempt) = (task.deadline(), task.attempt);
        let is_late = attempt >= SUCCEEDS_FROM;
        let event = match task.state {
            TaskState::Pending => match deadline {
                Some(deadline) if self.dice.percent(10) => self.tick(deadline),
                _ => TaskEvent::Granted { session: SessionId(1), at: self.now },
            },
            TaskState::RetryWait { until } => self.tick(deadline.unwrap_or(until)),
            TaskState::Running { .. } if is_late => self.end(id)?,
            TaskState::Running { .. } => match (self.dice.below(100), deadline) {
                (0..8, Some(deadline)) => self.tick(deadline),
                (8..13, _) => TaskEvent::Heartbeat { attempt, details: Some(Payload::null()), at: self.now },
                (13..16, _) => return self.stale(id, attempt),
                _ => self.end(id)?,
            },
        };
        let outcome = self.tell(id, event)?;
        outcome.closed.map_or(Ok(()), |closed| self.input(closed))
    }

    /// A deadline passes.
    fn tick(&mut self, deadline: Timestamp) -> TaskEvent {
        self.now = self.now.max(deadline);
        TaskEvent::Tick { at: self.now, draw: 0.5 }
    }

    /// The result of an attempt that is not the current one comes late.
    fn stale(&mut self, id: EventId, attempt: u32) -> Result<(), String> {
        let event =
            TaskEvent::Ended { attempt: attempt + 1, result: Ok(Payload::null()), at: self.now, draw: 0.5 };
        let open = self.open.get_mut(&id).ok_or("not open")?;
        match open.task.apply(event) {
            Err(_) => Ok(()),
            Ok(outcome) => Err(format!("a stale result was taken: {outcome:?}")),
        }
    }

    /// The body comes to its end.
    fn end(&mut self, id: EventId) -> Result<TaskEvent, String> {
        let open = self.open.get(&id).ok_or("not open")?;
        let (attempt, is_late) = (open.task.attempt, open.task.attempt >= SUCCEEDS_FROM);
        let is_asked = open.task.cancel_requested.is_some();
        let result = match self.dice.below(100) {
            0..6 if !is_late => Err(AttemptError::WorkerLost),
            6..9 if !is_late => Err(AttemptError::HandedBack),
            9..60 if is_asked => Err(AttemptError::Cancelled),
            _ => match &open.key {
                Some(key) => scripted_body(self.seed, key, attempt),
                None => {
                    let body = self.live.executor.step_body(id).ok_or("the body of a step is gone")?;
                    body().now_or_never().ok_or("the body of a step waits")?
                }
            },
        };
        Ok(TaskEvent::Ended { attempt, result, at: self.now, draw: 0.5 })
    }
}
