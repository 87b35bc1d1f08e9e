//! The input that says how a task ended.

use super::state::{Task, TaskKind};
use super::transition::TaskOutcome;
use crate::failure::{AttemptError, Effect, TimeoutKind};
use crate::history::{
    ActivityCancelled, ActivityCompleted, ActivityFailed, ActivityTimedOut, EventKind, StepCompleted,
    StepFailed,
};
use crate::payload::Payload;

/// How a task ends.
#[derive(Debug)]
pub(super) enum Closing {
    /// An attempt succeeded.
    Completed(Payload),
    /// The last attempt failed; `exhausted` if time barred the next one.
    Failed { error: AttemptError, exhausted: bool },
    /// The attempts are used up; the event has the kind of the last one.
    Exhausted(AttemptError),
    /// A timeout of the whole task passed.
    TimedOut(TimeoutKind),
    /// It was asked to end and did not succeed.
    Cancelled,
}

impl Task {
    pub(super) fn close(&mut self, closing: Closing) -> TaskOutcome {
        if matches!(closing, Closing::Completed(_)) {
            self.effect = Effect::Done;
        }
        let exhausted = match &closing {
            Closing::Exhausted(_) | Closing::TimedOut(TimeoutKind::ScheduleToClose) => true,
            Closing::Failed { exhausted, .. } => *exhausted,
            Closing::Completed(_) | Closing::TimedOut(_) | Closing::Cancelled => false,
        };
        let closed = match self.kind {
            TaskKind::Activity(_) => self.close_activity(closing, exhausted),
            TaskKind::Step(_) => self.close_step(closing, exhausted),
        };
        TaskOutcome { closed: Some(closed), exhausted, ..TaskOutcome::default() }
    }

    fn close_activity(&self, closing: Closing, exhausted: bool) -> EventKind {
        let (scheduled, attempts) = (self.item, self.summary());
        match closing {
            Closing::Completed(output) => ActivityCompleted { scheduled, output, attempts }.into(),
            Closing::Exhausted(AttemptError::TimedOut(timeout)) | Closing::TimedOut(timeout) => {
                ActivityTimedOut { scheduled, timeout, reason: self.waits_for.clone(), attempts }.into()
            }
            Closing::Failed { error, .. } | Closing::Exhausted(error) => {
                ActivityFailed { scheduled, error, exhausted, attempts }.into()
            }
            Closing::Cancelled => ActivityCancelled { scheduled, attempts }.into(),
        }
    }

    fn close_step(&self, closing: Closing, exhausted: bool) -> EventKind {
        let (started, attempts) = (self.item, self.summary());
        let error = match closing {
            Closing::Completed(output) => return StepCompleted { started, output, attempts }.into(),
            Closing::Failed { error, .. } | Closing::Exhausted(error) => error,
            Closing::TimedOut(timeout) => AttemptError::TimedOut(timeout),
            Closing::Cancelled => AttemptError::Cancelled,
        };
        StepFailed { started, error, exhausted, attempts }.into()
    }
}
