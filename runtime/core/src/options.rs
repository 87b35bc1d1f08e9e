//! What can be said of an activity, at its declaration, at a call, or for a whole queue.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::breaker::CircuitBreaker;
use crate::id::QueueName;
use crate::retry::RetryPolicy;

/// How many attempts an undo has when nothing is said.
pub const UNDO_ATTEMPTS: u32 = 10;
/// How long a cancelled body may go on before its future is dropped, when nothing is said.
pub const CANCEL_GRACE: Duration = Duration::from_secs(10);

/// Options of an activity. What is `None` was not said here; [`ActivityOptions::or`] fills it from elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActivityOptions {
    /// The task queue; without one, the workflow's.
    pub queue: Option<QueueName>,
    /// How long one attempt may take. Without it an attempt may take for ever.
    pub start_to_close: Option<Duration>,
    /// How long the first attempt may wait to begin.
    pub schedule_to_start: Option<Duration>,
    /// How long all attempts together may take.
    pub schedule_to_close: Option<Duration>,
    /// How long a running attempt may be silent.
    pub heartbeat: Option<Duration>,
    /// When to try again.
    pub retry: Option<RetryPolicy>,
    /// How long a cancelled body may go on before its future is dropped. Default 10 s.
    pub cancel_grace: Option<Duration>,
    /// When attempts are held back because others failed.
    pub circuit_breaker: Option<CircuitBreaker>,
}

impl ActivityOptions {
    /// These options, and `other`'s where nothing was said.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            queue: self.queue.or_else(|| other.queue.clone()),
            start_to_close: self.start_to_close.or(other.start_to_close),
            schedule_to_start: self.schedule_to_start.or(other.schedule_to_start),
            schedule_to_close: self.schedule_to_close.or(other.schedule_to_close),
            heartbeat: self.heartbeat.or(other.heartbeat),
            retry: self.retry.or_else(|| other.retry.clone()),
            cancel_grace: self.cancel_grace.or(other.cancel_grace),
            circuit_breaker: self.circuit_breaker.or_else(|| other.circuit_breaker.clone()),
        }
    }

    /// What holds once nothing more can be said: the library's own values fill the rest.
    #[must_use]
    pub fn settle(self, workflow_queue: &QueueName, is_undo: bool) -> EffectiveOptions {
        let retry = self.retry.unwrap_or_default();
        let attempts = retry.attempts().unwrap_or(if is_undo { UNDO_ATTEMPTS } else { 0 });
        EffectiveOptions {
            queue: self.queue.unwrap_or_else(|| workflow_queue.clone()),
            start_to_close: self.start_to_close,
            schedule_to_start: self.schedule_to_start,
            schedule_to_close: self.schedule_to_close,
            heartbeat: self.heartbeat,
            retry: retry.maximum_attempts(attempts),
            cancel_grace: self.cancel_grace.unwrap_or(CANCEL_GRACE),
            circuit_breaker: self.circuit_breaker,
        }
    }
}

/// The options of one scheduled activity, complete. Recorded as a fact: never compared at replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectiveOptions {
    /// The task queue.
    pub queue: QueueName,
    /// How long one attempt may take.
    pub start_to_close: Option<Duration>,
    /// How long the first attempt may wait to begin.
    pub schedule_to_start: Option<Duration>,
    /// How long all attempts together may take.
    pub schedule_to_close: Option<Duration>,
    /// How long a running attempt may be silent.
    pub heartbeat: Option<Duration>,
    /// When to try again; its number of attempts is always given.
    pub retry: RetryPolicy,
    /// How long a cancelled body may go on before its future is dropped.
    pub cancel_grace: Duration,
    /// When attempts are held back because others failed.
    pub circuit_breaker: Option<CircuitBreaker>,
}

impl EffectiveOptions {
    /// How many attempts there may be; `None` is without end.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        self.retry.attempts().filter(|attempts| *attempts > 0)
    }
}
