//! What is recorded when something fails: data, written once, equal on every replay.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::payload::{Payload, PayloadTooLarge};
use crate::time::Timestamp;

/// What an application error says should happen next. The outermost error decides, by type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Disposition {
    /// Try again by the retry policy, not before `after` has passed if it is given.
    Retryable {
        /// The wait that the service asked for: a minimum.
        after: Option<Duration>,
        /// The attempt is known to have changed nothing outside.
        no_effect: bool,
    },
    /// Give up at once. The attempt is known to have changed nothing outside.
    NonRetryable,
    /// Give up at once. Something was begun outside and has to be taken back: a saga undoes the step.
    Compensate {
        /// Who has to know.
        severity: Severity,
    },
}

/// How much a failure that has to be compensated asks of people.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Nothing: the saga undoes the step.
    Auto,
    /// The saga undoes the step, and the run needs attention.
    Alert,
    /// No undo of the saga runs before an operator approves, and the run needs attention.
    Intervene,
}

/// An error of user code, as recorded: its type, its text and the value itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApplicationFailure {
    /// The name of the error's type; policies name it.
    pub type_name: String,
    /// The error's own text, without its causes.
    pub message: String,
    /// The texts of its causes, outermost first.
    pub causes: Vec<String>,
    /// What should happen next.
    pub disposition: Disposition,
    /// The error value, to come back typed and equal in the workflow.
    pub details: Option<Payload>,
}

/// Which of the four timeouts of an activity passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeoutKind {
    /// No attempt began in time.
    ScheduleToStart,
    /// One attempt took too long.
    StartToClose,
    /// All attempts together took too long.
    ScheduleToClose,
    /// A running attempt was silent for too long.
    Heartbeat,
}

impl std::fmt::Display for TimeoutKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ScheduleToStart => "schedule-to-start",
            Self::StartToClose => "start-to-close",
            Self::ScheduleToClose => "schedule-to-close",
            Self::Heartbeat => "heartbeat",
        })
    }
}

/// Why an attempt of an activity or a step did not succeed.
///
/// Variants are only ever added at the end: their order is part of the stored format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum AttemptError {
    /// The body returned an error.
    #[error("{}: {}", .0.type_name, .0.message)]
    Application(Box<ApplicationFailure>),
    /// The body panicked.
    #[error("panic: {message}")]
    Panic {
        /// The panic's text, or "non-text payload".
        message: String,
    },
    /// A timeout passed.
    #[error("{0} timeout")]
    TimedOut(TimeoutKind),
    /// The process or session that ran the body is gone.
    #[error("the worker was lost")]
    WorkerLost,
    /// The worker stopped and gave the attempt back; it does not count.
    #[error("handed back at shutdown")]
    HandedBack,
    /// The body was told to stop and did.
    #[error("cancelled")]
    Cancelled,
    /// The input or the result is larger than the run allows.
    #[error(transparent)]
    TooLarge(PayloadTooLarge),
    /// The recorded input does not fit the activity's types; the body did not run.
    #[error("the input cannot be read: {message}")]
    InputMismatch {
        /// What the decoder said.
        message: String,
    },
    /// The result could not be written; the body had run.
    #[error("the result cannot be written: {message}")]
    OutputUnwritable {
        /// What the encoder said.
        message: String,
    },
}

impl AttemptError {
    /// Whether the policy may try again. A type name in `non_retryable` matches exactly, case included.
    #[must_use]
    pub fn is_retryable(&self, non_retryable: &[String]) -> bool {
        match self {
            Self::Application(failure) => {
                matches!(failure.disposition, Disposition::Retryable { .. })
                    && !non_retryable.contains(&failure.type_name)
            }
            Self::Panic { .. } | Self::TimedOut(_) | Self::WorkerLost | Self::HandedBack => true,
            Self::Cancelled
            | Self::TooLarge(_)
            | Self::InputMismatch { .. }
            | Self::OutputUnwritable { .. } => false,
        }
    }

    /// Whether the attempt is known to have changed nothing outside.
    ///
    /// An error that a policy lists as non-retryable says no more about its effect than it did before.
    #[must_use]
    pub fn says_nothing_happened(&self) -> bool {
        match self {
            Self::Application(failure) => match failure.disposition {
                Disposition::Retryable { no_effect, .. } => no_effect,
                Disposition::NonRetryable => true,
                Disposition::Compensate { .. } => false,
            },
            Self::InputMismatch { .. } => true,
            Self::Panic { .. }
            | Self::TimedOut(_)
            | Self::WorkerLost
            | Self::HandedBack
            | Self::Cancelled
            | Self::TooLarge(_)
            | Self::OutputUnwritable { .. } => false,
        }
    }

    /// The wait that the service asked for.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let Self::Application(failure) = self else { return None };
        match failure.disposition {
            Disposition::Retryable { after, .. } => after,
            Disposition::NonRetryable | Disposition::Compensate { .. } => None,
        }
    }

    /// How much it asks of people, if it is a failure that has to be compensated.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        let Self::Application(failure) = self else { return None };
        match failure.disposition {
            Disposition::Compensate { severity } => Some(severity),
            Disposition::Retryable { .. } | Disposition::NonRetryable => None,
        }
    }
}

/// One failed attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptFailure {
    /// Its number, from 1.
    pub attempt: u32,
    /// When it ended.
    pub at: Timestamp,
    /// Why.
    pub error: AttemptError,
}

/// What is known of the outside effect of a step, folded over all its attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// Nothing happened: no attempt began, or each one said so.
    None,
    /// It happened: an attempt succeeded.
    Done,
    /// It may have happened.
    Unknown,
}

impl Effect {
    /// What is known after one more attempt that failed with `error`.
    #[must_use]
    pub fn after_failure(self, error: &AttemptError) -> Self {
        if error.says_nothing_happened() { self } else { Self::Unknown }
    }
}
