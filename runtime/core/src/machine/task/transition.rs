//! What can happen to a task, and what follows.

use super::close::Closing;
use super::state::{Task, TaskKind, TaskState};
use crate::failure::{AttemptError, AttemptFailure, TimeoutKind};
use crate::history::EventKind;
use crate::id::SessionId;
use crate::payload::Payload;
use crate::time::Timestamp;

/// Something that happens to a task. `draw` is an even random number from 0 to 1, for the jitter of the next wait.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskEvent {
    /// A session begins the next attempt.
    Granted {
        /// Who.
        session: SessionId,
        /// When.
        at: Timestamp,
    },
    /// An attempt ended.
    Ended {
        /// Its number.
        attempt: u32,
        /// The result.
        result: Result<Payload, AttemptError>,
        /// When.
        at: Timestamp,
        /// For the next wait.
        draw: f64,
    },
    /// A running attempt shows that it is alive.
    Heartbeat {
        /// Its number.
        attempt: u32,
        /// What it wants the next attempt to know.
        details: Option<Payload>,
        /// When.
        at: Timestamp,
    },
    /// The workflow wants it to end.
    CancelRequested {
        /// When.
        at: Timestamp,
    },
    /// The time is `at`: deadlines are looked at.
    Tick {
        /// The time.
        at: Timestamp,
        /// For the next wait.
        draw: f64,
    },
}

impl TaskEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::Granted { .. } => "Granted",
            Self::Ended { .. } => "Ended",
            Self::Heartbeat { .. } => "Heartbeat",
            Self::CancelRequested { .. } => "CancelRequested",
            Self::Tick { .. } => "Tick",
        }
    }
}

/// What the running body must be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodySignal {
    /// It is asked to end.
    Cancel,
    /// Its result is of no use any more: its future is dropped.
    Drop,
}

/// What follows from an event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskOutcome {
    /// The task is over, and this input says so. The task is to be forgotten.
    pub closed: Option<EventKind>,
    /// Attempts or time ran out: a dead letter is written with the closing event.
    pub exhausted: bool,
    /// An attempt just ended or was given up: its slot is free.
    pub attempt_over: Option<u32>,
    /// For the body of that attempt, or of the current one.
    pub body: Option<BodySignal>,
    /// It waits for somebody to run it now.
    pub ready: bool,
}

/// An event that does not concern the task as it stands. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskRefused {
    /// The attempt is not the current one, or none runs.
    #[error("attempt {attempt} is not current (the last one granted is {current}, running: {running})")]
    NotCurrent {
        /// The attempt that spoke.
        attempt: u32,
        /// The last one granted.
        current: u32,
        /// Whether it runs.
        running: bool,
    },
    /// The event does not fit the state.
    #[error("{event} does not fit a task that is {state}")]
    Illegal {
        /// The event.
        event: &'static str,
        /// The state.
        state: &'static str,
    },
}

impl Task {
    /// Takes one event.
    ///
    /// # Errors
    ///
    /// [`TaskRefused`] if the event does not concern the task as it stands; nothing has changed then.
    pub fn apply(&mut self, event: TaskEvent) -> Result<TaskOutcome, TaskRefused> {
        let name = event.name();
        match (event, &self.state) {
            (TaskEvent::Granted { session, at }, TaskState::Pending) => {
                self.grant(session, at);
                Ok(TaskOutcome::default())
            }
            (TaskEvent::Granted { .. }, TaskState::Running { .. } | TaskState::RetryWait { .. }) => {
                Err(TaskRefused::Illegal { event: name, state: self.state_name() })
            }
            (TaskEvent::Ended { attempt, result, at, draw }, TaskState::Running { .. })
                if attempt == self.attempt =>
            {
                Ok(match result {
                    Ok(output) => self.succeed(output),
                    Err(error) => self.fail(error, at, draw),
                })
            }
            (TaskEvent::Heartbeat { attempt, details, at }, TaskState::Running { session, since, heard })
                if attempt == self.attempt =>
            {
                self.state = TaskState::Running { session: *session, since: *since, heard: at.max(*heard) };
                self.details = details.or(self.details.take());
                Ok(TaskOutcome::default())
            }
            (TaskEvent::Ended { attempt, .. } | TaskEvent::Heartbeat { attempt, .. }, state) => {
                let running = matches!(state, TaskState::Running { .. });
                Err(TaskRefused::NotCurrent { attempt, current: self.attempt, running })
            }
            (TaskEvent::CancelRequested { at }, _) => self.request_cancel(at),
            (TaskEvent::Tick { at, draw }, _) => Ok(self.tick(at, draw)),
        }
    }

    fn state_name(&self) -> &'static str {
        match self.state {
            TaskState::Pending => "pending",
            TaskState::Running { .. } => "running",
            TaskState::RetryWait { .. } => "waiting for a retry",
        }
    }

    fn grant(&mut self, session: SessionId, at: Timestamp) {
        self.attempt = self.attempt.saturating_add(1);
        self.counted = self.counted.saturating_add(1);
        self.note_start(at);
        self.waits_for = None;
        self.state = TaskState::Running { session, since: at, heard: at };
    }

    fn request_cancel(&mut self, at: Timestamp) -> Result<TaskOutcome, TaskRefused> {
        if matches!(self.kind, TaskKind::Step(_)) {
            return Err(TaskRefused::Illegal { event: "CancelRequested", state: "a step" });
        }
        if self.cancel_requested.is_some() {
            return Ok(TaskOutcome::default());
        }
        self.cancel_requested = Some(at);
        Ok(match self.state {
            TaskState::Running { .. } => {
                TaskOutcome { body: Some(BodySignal::Cancel), ..TaskOutcome::default() }
            }
            TaskState::Pending | TaskState::RetryWait { .. } => self.close(Closing::Cancelled),
        })
    }

    fn fail(&mut self, error: AttemptError, at: Timestamp, draw: f64) -> TaskOutcome {
        let attempt = self.attempt;
        let handed_back = error == AttemptError::HandedBack;
        let retry_after = error.retry_after();
        let retryable = error.is_retryable(self.options.retry.non_retryable_names());
        self.note_failure(AttemptFailure { attempt, at, error: error.clone() });
        let mut outcome = if self.cancel_requested.is_some() {
            self.close(Closing::Cancelled)
        } else if handed_back {
            self.counted = self.counted.saturating_sub(1);
            self.state = TaskState::Pending;
            TaskOutcome { ready: true, ..TaskOutcome::default() }
        } else if !retryable {
            self.close(Closing::Failed { error, exhausted: false })
        } else if self.options.attempts().is_some_and(|maximum| self.counted >= maximum) {
            self.close(Closing::Exhausted(error))
        } else {
            let until = at.after(self.options.retry.delay(self.counted, draw, retry_after));
            let deadline = self.options.schedule_to_close.map(|limit| self.scheduled_at.after(limit));
            if deadline.is_some_and(|deadline| until >= deadline) {
                self.close(Closing::Failed { error, exhausted: true })
            } else {
                self.state = TaskState::RetryWait { until };
                TaskOutcome::default()
            }
        };
        outcome.attempt_over = Some(attempt);
        outcome
    }

    fn succeed(&mut self, output: Payload) -> TaskOutcome {
        let attempt = self.attempt;
        TaskOutcome { attempt_over: Some(attempt), ..self.close(Closing::Completed(output)) }
    }

    fn tick(&mut self, at: Timestamp, draw: f64) -> TaskOutcome {
        if self.deadline().is_none_or(|deadline| deadline > at) {
            return TaskOutcome::default();
        }
        let passed = |limit: Option<std::time::Duration>, from: Timestamp| {
            limit.is_some_and(|limit| from.after(limit) <= at)
        };
        let options = &self.options;
        let close_passed = passed(options.schedule_to_close, self.scheduled_at);
        match self.state {
            TaskState::Pending
                if self.begun.is_empty() && passed(options.schedule_to_start, self.scheduled_at) =>
            {
                self.close(Closing::TimedOut(TimeoutKind::ScheduleToStart))
            }
            TaskState::Pending => self.close(Closing::TimedOut(TimeoutKind::ScheduleToClose)),
            TaskState::RetryWait { .. } if close_passed => {
                self.close(Closing::TimedOut(TimeoutKind::ScheduleToClose))
            }
            TaskState::RetryWait { .. } => {
                self.state = TaskState::Pending;
                TaskOutcome { ready: true, ..TaskOutcome::default() }
            }
            TaskState::Running { since, heard, .. } => {
                let start_passed = passed(options.start_to_close, since);
                let error = if close_passed {
                    AttemptError::TimedOut(TimeoutKind::ScheduleToClose)
                } else if start_passed {
                    AttemptError::TimedOut(TimeoutKind::StartToClose)
                } else if passed(options.heartbeat, heard) {
                    AttemptError::TimedOut(TimeoutKind::Heartbeat)
                } else {
                    AttemptError::Cancelled
                };
                let outcome = if close_passed && self.cancel_requested.is_none() {
                    let attempt = self.attempt;
                    self.note_failure(AttemptFailure { attempt, at, error });
                    let closed = self.close(Closing::TimedOut(TimeoutKind::ScheduleToClose));
                    TaskOutcome { attempt_over: Some(attempt), ..closed }
                } else {
                    self.fail(error, at, draw)
                };
                TaskOutcome { body: Some(BodySignal::Drop), ..outcome }
            }
        }
    }
}
