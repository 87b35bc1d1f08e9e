//! Circuit breakers: a service that fails again and again is left alone for a while, then tried carefully.
//!
//! ```text
//!          `failures` in a row                time is up
//! Closed ──────────────────────► Open ──────────────────► HalfOpen ── `successes` ──► Closed
//!                                  ▲                          │
//!                                  └───── one failure ────────┘
//! ```
//!
//! Pure: who has a permit is told by whoever grants attempts, and what the time is by whoever asks.
//!
//! **Invariant**: each change of state begins a new generation, and what an attempt of an earlier generation comes to
//! changes nothing: it tells of a time that is over.

mod state;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::retry::INTERVAL_MAX;

pub use state::{Breaker, BreakerState, Verdict};

/// When attempts of an activity are held back because those before them failed.
///
/// All activities with the same name and key share one breaker, whichever run they belong to. While it is open their
/// tasks wait and use up no attempts; `schedule_to_close` goes on. Failures that count are those that may be tried
/// again and timeouts; an answer of the business ("card declined"), a cancel and a lost worker say nothing about the
/// service.
///
/// ```
/// use std::time::Duration;
/// use steadfast_core::CircuitBreaker;
/// let breaker = CircuitBreaker::new(5).successes(2).open(Duration::from_secs(30)).key("eu-west");
/// assert_eq!(breaker.failures(), 5);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitBreaker {
    failures: u32,
    successes: u32,
    open: Duration,
    key: Option<String>,
}

impl CircuitBreaker {
    /// Opens after so many failures in a row. Closes again after one success; waits 30 s before it tries.
    ///
    /// # Panics
    ///
    /// If `failures` is zero.
    #[must_use]
    pub fn new(failures: u32) -> Self {
        assert!(failures > 0, "a circuit breaker opens after zero failures; use at least 1");
        Self { failures, successes: 1, open: Duration::from_secs(30), key: None }
    }

    /// How many attempts in a row must succeed before it closes; so many are tried at once at most. Default 1.
    ///
    /// # Panics
    ///
    /// If `successes` is zero.
    #[must_use]
    pub fn successes(self, successes: u32) -> Self {
        assert!(successes > 0, "a circuit breaker closes after zero successes; use at least 1");
        Self { successes, ..self }
    }

    /// How long it is open before the first attempt is tried again; at most 100 years. Default 30 s.
    ///
    /// # Panics
    ///
    /// If `open` is zero.
    #[must_use]
    pub fn open(self, open: Duration) -> Self {
        assert!(!open.is_zero(), "a circuit breaker is open for no time; use at least 1 ns");
        Self { open: open.min(INTERVAL_MAX), ..self }
    }

    /// A breaker of its own for these calls of the activity: one for each region, merchant or host, say. Of a key of
    /// more than 1,000 bytes the first 1,000 count.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        let mut key: String = key.into();
        key.truncate(key.floor_char_boundary(crate::id::ID_BYTES_MAX));
        Self { key: Some(key), ..self }
    }

    /// How many failures in a row open it.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// How many successes close it.
    #[must_use]
    pub fn successes_needed(&self) -> u32 {
        self.successes
    }

    /// How long it is open.
    #[must_use]
    pub fn open_for(&self) -> Duration {
        self.open
    }

    /// What sets it apart from other breakers of the activity; empty if nothing does.
    #[must_use]
    pub fn key_text(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
