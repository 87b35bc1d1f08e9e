//! What is kept of an open activity or step.

use serde::{Deserialize, Serialize};

use crate::failure::{AttemptFailure, Effect};
use crate::history::{ActivityScheduled, AttemptSummary, StepStarted};
use crate::id::{ActivityName, EventId, QueueName, SessionId};
use crate::limits::{ATTEMPT_FAILURES_MAX, ATTEMPT_TIMES_MAX};
use crate::options::{ActivityOptions, EffectiveOptions};
use crate::payload::Payload;
use crate::time::Timestamp;

/// Whether the task is an activity or a step of the workflow's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskKind {
    /// An activity: anybody who serves its queue may run it.
    Activity(ActivityName),
    /// A closure of the workflow: only the owner of the run can run it. It cannot be cancelled.
    Step(String),
}

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskState {
    /// Waits for somebody to run it.
    Pending,
    /// An attempt runs.
    Running {
        /// The session that runs it.
        session: SessionId,
        /// When it was granted.
        since: Timestamp,
        /// When it was last heard of; the grant counts.
        heard: Timestamp,
    },
    /// Waits for its next attempt.
    RetryWait {
        /// Until then.
        until: Timestamp,
    },
}

/// An open activity or step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The event that scheduled it.
    pub item: EventId,
    /// What it is.
    pub kind: TaskKind,
    /// Its options.
    pub options: EffectiveOptions,
    /// When it was scheduled.
    pub scheduled_at: Timestamp,
    /// Where it stands.
    pub state: TaskState,
    /// The number of the last attempt; if none was granted yet, how many there were under its key before.
    pub attempt: u32,
    /// How many attempts count against the policy: those handed back do not.
    pub counted: u32,
    /// When each attempt began, the newest.
    pub begun: Vec<Timestamp>,
    /// The newest failures.
    pub failures: Vec<AttemptFailure>,
    /// What is known of its outside effect.
    pub effect: Effect,
    /// When it was asked to end.
    pub cancel_requested: Option<Timestamp>,
    /// The newest heartbeat details of any attempt.
    pub details: Option<Payload>,
    /// Why nobody runs it, if it waits for more than a slot: "not registered: …".
    pub waits_for: Option<String>,
}

impl Task {
    /// The task of an activity that was just scheduled.
    #[must_use]
    pub fn activity(item: EventId, at: Timestamp, scheduled: &ActivityScheduled) -> Self {
        let kind = TaskKind::Activity(scheduled.activity.clone());
        let attempt = scheduled.attempts_before;
        Self { attempt, ..Self::new(item, at, kind, scheduled.options.clone()) }
    }

    /// The task of a step that was just started, in a workflow on `queue`.
    #[must_use]
    pub fn step(item: EventId, at: Timestamp, started: &StepStarted, queue: &QueueName) -> Self {
        let options = ActivityOptions { retry: Some(started.retry.clone()), ..ActivityOptions::default() };
        Self::new(item, at, TaskKind::Step(started.name.clone()), options.settle(queue, false))
    }

    fn new(item: EventId, at: Timestamp, kind: TaskKind, options: EffectiveOptions) -> Self {
        Self {
            item,
            kind,
            options,
            scheduled_at: at,
            state: TaskState::Pending,
            attempt: 0,
            counted: 0,
            begun: Vec::new(),
            failures: Vec::new(),
            effect: Effect::None,
            cancel_requested: None,
            details: None,
            waits_for: None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.kind {
            TaskKind::Activity(name) => name.as_str(),
            TaskKind::Step(name) => name,
        }
    }

    /// The session that runs its current attempt.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self.state {
            TaskState::Running { session, .. } => Some(session),
            TaskState::Pending | TaskState::RetryWait { .. } => None,
        }
    }

    /// When something must happen to it next, if only time can make it happen.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let options = &self.options;
        let to_close = options.schedule_to_close.map(|limit| self.scheduled_at.after(limit));
        let own = match self.state {
            TaskState::Pending if self.begun.is_empty() => {
                options.schedule_to_start.map(|limit| self.scheduled_at.after(limit))
            }
            TaskState::Pending => None,
            TaskState::RetryWait { until } => Some(until),
            TaskState::Running { since, heard, .. } => {
                let start_to_close = options.start_to_close.map(|limit| since.after(limit));
                let heartbeat = options.heartbeat.map(|limit| heard.after(limit));
                let grace = self.cancel_requested.map(|asked| asked.max(since).after(options.cancel_grace));
                [start_to_close, heartbeat, grace].into_iter().flatten().min()
            }
        };
        [to_close, own].into_iter().flatten().min()
    }

    /// What its closing event says of the attempts.
    #[must_use]
    pub fn summary(&self) -> AttemptSummary {
        AttemptSummary {
            attempt: self.attempt,
            begun: self.begun.clone(),
            failures: self.failures.clone(),
            effect: self.effect,
        }
    }

    pub(super) fn note_start(&mut self, at: Timestamp) {
        push_bounded(&mut self.begun, at, ATTEMPT_TIMES_MAX);
    }

    pub(super) fn note_failure(&mut self, failure: AttemptFailure) {
        self.effect = self.effect.after_failure(&failure.error);
        push_bounded(&mut self.failures, failure, ATTEMPT_FAILURES_MAX);
    }
}

fn push_bounded<T>(list: &mut Vec<T>, item: T, bound: usize) {
    if list.len() == bound {
        list.remove(0);
    }
    list.push(item);
}
