//! The state of one breaker, and what changes it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::CircuitBreaker;
use crate::failure::AttemptError;
use crate::time::Timestamp;

/// Where a breaker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakerState {
    /// Everything goes through.
    Closed {
        /// How many failures in a row there were.
        failures: u32,
    },
    /// Nothing goes through.
    Open {
        /// Until then; after that it is tried carefully. `None`: until an operator resets it.
        until: Option<Timestamp>,
    },
    /// A few attempts go through, to see.
    HalfOpen {
        /// How many of them succeeded.
        successes: u32,
    },
}

/// What an attempt says about the service that it called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It answers.
    Success,
    /// It does not do its work.
    Failure,
    /// Nothing.
    Neither,
}

impl Verdict {
    /// What a failed attempt says: a timeout, a panic and an error that may be tried again are failures of the service.
    /// `is_retryable` is what the activity's policy makes of the error.
    #[must_use]
    pub fn of(error: &AttemptError, is_retryable: bool) -> Self {
        match error {
            AttemptError::TimedOut(_) | AttemptError::Panic { .. } => Self::Failure,
            AttemptError::Application(_) if is_retryable => Self::Failure,
            AttemptError::Application(_)
            | AttemptError::Cancelled
            | AttemptError::WorkerLost
            | AttemptError::HandedBack
            | AttemptError::TooLarge(_)
            | AttemptError::InputMismatch { .. }
            | AttemptError::OutputUnwritable { .. } => Self::Neither,
        }
    }
}

/// One breaker: its numbers and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    failures: u32,
    successes: u32,
    open: Duration,
    state: BreakerState,
    /// Counts changes of state.
    generation: u64,
    /// Counts changes of any kind; of two records of one breaker the one with the higher number is newer.
    version: u64,
    /// When its state changed last.
    since: Option<Timestamp>,
    /// How often it opened.
    opened: u64,
}

impl Breaker {
    /// A breaker that is closed.
    #[must_use]
    pub fn new(options: &CircuitBreaker) -> Self {
        Self {
            failures: options.failures,
            successes: options.successes,
            open: options.open,
            state: BreakerState::Closed { failures: 0 },
            generation: 0,
            version: 0,
            since: None,
            opened: 0,
        }
    }

    /// The same, as the successor of a record with this version that cannot be read.
    #[must_use]
    pub fn succeeding(self, version: u64) -> Self {
        Self { version, ..self }
    }

    /// The numbers of the newest activity that uses it hold.
    pub fn adopt(&mut self, options: &CircuitBreaker) {
        (self.failures, self.successes, self.open) = (options.failures, options.successes, options.open);
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        self.state
    }

    /// Counts its changes of state.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Counts its changes.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// When its state changed last; `None` if it never did.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// How often it opened.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// When attempts are tried again, if it is open and that is known.
    #[must_use]
    pub fn next_trial(&self) -> Option<Timestamp> {
        if let BreakerState::Open { until } = self.state { until } else { None }
    }

    /// Whether one more attempt may begin beside `probes` that were let through in this generation.
    #[must_use]
    pub fn admits(&self, probes: u32) -> bool {
        match self.state {
            BreakerState::Closed { .. } => true,
            BreakerState::Open { .. } => false,
            BreakerState::HalfOpen { successes } => probes.saturating_add(successes) < self.successes,
        }
    }

    /// The time is `at`. Says whether its state changed.
    pub fn tick(&mut self, at: Timestamp) -> bool {
        let is_over = matches!(self.state, BreakerState::Open { until: Some(until) } if until <= at);
        if is_over {
            self.enter(BreakerState::HalfOpen { successes: 0 }, at);
        }
        is_over
    }

    /// An attempt that began in `generation` has ended. Says whether anything changed.
    pub fn ended(&mut self, generation: u64, verdict: Verdict, at: Timestamp) -> bool {
        if generation != self.generation {
            return false;
        }
        match (self.state, verdict) {
            (_, Verdict::Neither)
            | (BreakerState::Closed { failures: 0 }, Verdict::Success)
            | (BreakerState::Open { .. }, _) => return false,
            (BreakerState::Closed { .. }, Verdict::Success) => {
                self.state = BreakerState::Closed { failures: 0 };
            }
            (BreakerState::Closed { failures }, Verdict::Failure) => {
                let failures = failures.saturating_add(1);
                if failures >= self.failures {
                    self.open(at);
                    return true;
                }
                self.state = BreakerState::Closed { failures };
            }
            (BreakerState::HalfOpen { .. }, Verdict::Failure) => {
                self.open(at);
                return true;
            }
            (BreakerState::HalfOpen { successes }, Verdict::Success) => {
                let successes = successes.saturating_add(1);
                if successes >= self.successes {
                    self.enter(BreakerState::Closed { failures: 0 }, at);
                    return true;
                }
                self.state = BreakerState::HalfOpen { successes };
            }
        }
        self.version += 1;
        true
    }

    /// An operator closes it. Says whether anything changed.
    pub fn reset(&mut self, at: Timestamp) -> bool {
        let is_news = self.state != BreakerState::Closed { failures: 0 };
        if is_news {
            self.enter(BreakerState::Closed { failures: 0 }, at);
        }
        is_news
    }

    /// An operator opens it, until one resets it. Says whether anything changed.
    pub fn force_open(&mut self, at: Timestamp) -> bool {
        let is_news = self.state != BreakerState::Open { until: None };
        if is_news {
            self.opened = self.opened.saturating_add(1);
            self.enter(BreakerState::Open { until: None }, at);
        }
        is_news
    }

    /// Something was noted with it: its record is newer than before.
    pub fn touch(&mut self) {
        self.version += 1;
    }

    fn open(&mut self, at: Timestamp) {
        self.opened = self.opened.saturating_add(1);
        self.enter(BreakerState::Open { until: Some(at.after(self.open)) }, at);
    }

    fn enter(&mut self, state: BreakerState, at: Timestamp) {
        self.state = state;
        self.since = Some(at);
        self.generation += 1;
        self.version += 1;
    }
}
