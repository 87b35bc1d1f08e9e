//! When the next attempt may begin. Pure: the random draw is an argument, and it is made outside workflow code.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The longest wait between two attempts, whatever the policy says: one hundred years.
pub const INTERVAL_MAX: Duration = Duration::from_secs(100 * 365 * 86_400);

/// How often, and how long apart, a failed activity or step is tried again.
///
/// The nominal wait after attempt *n* is `initial · coefficient^(n−1)`, at most `maximum_interval`, and never
/// overflows. The wait itself is drawn evenly from `[d(1−j), min(d(1+j), maximum_interval)]`: spread around the
/// nominal value and never piled up on the maximum.
///
/// ```
/// use std::time::Duration;
/// use steadfast_core::RetryPolicy;
/// let policy = RetryPolicy::exponential(Duration::from_secs(1))
///     .maximum_interval(Duration::from_secs(60))
///     .maximum_attempts(5);
/// assert_eq!(policy.nominal(3), Duration::from_secs(4));
/// assert_eq!(policy.nominal(200), Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetryPolicy {
    initial_interval: Duration,
    backoff_coefficient: f64,
    maximum_interval: Duration,
    maximum_attempts: Option<u32>,
    jitter: f64,
    maximum_retry_after: Duration,
    non_retryable: Vec<String>,
}

/// A policy that could not be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRetryPolicy(&'static str);

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            initial_interval: Duration::from_secs(1),
            backoff_coefficient: 2.0,
            maximum_interval: Duration::from_secs(100),
            maximum_attempts: None,
            jitter: 0.2,
            maximum_retry_after: Duration::from_secs(24 * 3_600),
            non_retryable: Vec::new(),
        }
    }
}

impl RetryPolicy {
    /// Waits that double from `initial` on: 1 s, 2 s, 4 s and so forth, at most 100 s, without end.
    ///
    /// # Panics
    ///
    /// If `initial` is zero: it would be a loop without a pause.
    #[must_use]
    pub fn exponential(initial: Duration) -> Self {
        Self::default().initial_interval(initial)
    }

    /// The same wait each time.
    ///
    /// # Panics
    ///
    /// If `interval` is zero.
    #[must_use]
    pub fn fixed(interval: Duration) -> Self {
        Self::default().maximum_interval(interval).initial_interval(interval).backoff_coefficient(1.0)
    }

    /// One attempt and no more.
    #[must_use]
    pub fn once() -> Self {
        Self::default().maximum_attempts(1)
    }

    /// The nominal wait after the first attempt. Default 1 s.
    ///
    /// # Panics
    ///
    /// If it is zero.
    #[must_use]
    pub fn initial_interval(self, interval: Duration) -> Self {
        Self { initial_interval: interval, ..self }.checked()
    }

    /// What each nominal wait is multiplied by. Default 2.
    ///
    /// # Panics
    ///
    /// If it is below 1 or not finite.
    #[must_use]
    pub fn backoff_coefficient(self, coefficient: f64) -> Self {
        Self { backoff_coefficient: coefficient, ..self }.checked()
    }

    /// The longest wait; at most [`INTERVAL_MAX`], which also means "no maximum". Default 100 s.
    ///
    /// # Panics
    ///
    /// If it is zero.
    #[must_use]
    pub fn maximum_interval(self, interval: Duration) -> Self {
        Self { maximum_interval: interval.min(INTERVAL_MAX), ..self }.checked()
    }

    /// How many attempts there may be, the first included; 0 is without end. Default: without end for an
    /// activity or a step, 10 for an undo.
    #[must_use]
    pub fn maximum_attempts(self, attempts: u32) -> Self {
        Self { maximum_attempts: Some(attempts), ..self }
    }

    /// How far a wait may lie from its nominal value, as a part of it: 0.2 is 20 % to both sides. Default 0.2.
    ///
    /// # Panics
    ///
    /// If it is not from 0 to 1.
    #[must_use]
    pub fn jitter(self, jitter: f64) -> Self {
        Self { jitter, ..self }.checked()
    }

    /// The longest wait that a service may ask for. Default 24 h.
    #[must_use]
    pub fn maximum_retry_after(self, longest: Duration) -> Self {
        Self { maximum_retry_after: longest.min(INTERVAL_MAX), ..self }
    }

    /// Type names of errors that end the activity at once. Names match exactly, case included.
    #[must_use]
    pub fn non_retryable<S: Into<String>>(self, type_names: impl IntoIterator<Item = S>) -> Self {
        Self { non_retryable: type_names.into_iter().map(Into::into).collect(), ..self }
    }

    /// Checks a policy that came from outside, a configuration file say.
    ///
    /// # Errors
    ///
    /// [`InvalidRetryPolicy`] if an interval is zero, the coefficient is below 1, or the jitter is not from 0 to 1.
    pub fn validate(&self) -> Result<(), InvalidRetryPolicy> {
        if self.initial_interval.is_zero() {
            return Err(InvalidRetryPolicy(
                "the initial interval of a retry policy is zero; use at least 1 ns",
            ));
        }
        if self.maximum_interval.is_zero() {
            return Err(InvalidRetryPolicy(
                "the maximum interval of a retry policy is zero; use at least 1 ns",
            ));
        }
        if !self.backoff_coefficient.is_finite() || self.backoff_coefficient < 1.0 {
            return Err(InvalidRetryPolicy(
                "the backoff coefficient of a retry policy is below 1; use 1 or more",
            ));
        }
        if !(0.0..=1.0).contains(&self.jitter) {
            return Err(InvalidRetryPolicy("the jitter of a retry policy is not from 0 to 1"));
        }
        Ok(())
    }

    fn checked(self) -> Self {
        if let Err(error) = self.validate() {
            #[expect(
                clippy::panic,
                reason = "documented: a policy that cannot be meant is a programming error"
            )]
            {
                panic!("{error}");
            }
        }
        self
    }

    /// How many attempts there may be, the first included; 0 is without end. `None` if nothing was said.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        self.maximum_attempts
    }

    /// Type names of errors that end the activity at once.
    #[must_use]
    pub fn non_retryable_names(&self) -> &[String] {
        &self.non_retryable
    }

    /// The nominal wait after attempt number `attempt` (from 1), without jitter.
    #[must_use]
    pub fn nominal(&self, attempt: u32) -> Duration {
        let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        let factor = self.backoff_coefficient.powi(exponent);
        scale(self.initial_interval, factor).min(self.maximum_interval)
    }

    /// The wait after attempt number `attempt` (from 1).
    ///
    /// `draw` is an even random number from 0 to 1. `retry_after` is what the service asked for: a minimum, to
    /// which jitter only adds, bounded by `maximum_retry_after`.
    #[must_use]
    pub fn delay(&self, attempt: u32, draw: f64, retry_after: Option<Duration>) -> Duration {
        let draw = draw.clamp(0.0, 1.0);
        let nominal = self.nominal(attempt);
        let low = scale(nominal, 1.0 - self.jitter);
        let high = scale(nominal, 1.0 + self.jitter).min(self.maximum_interval);
        let delay = low + scale(high.saturating_sub(low), draw);
        let Some(asked) = retry_after.map(|asked| asked.min(self.maximum_retry_after)) else { return delay };
        if asked <= delay {
            return delay;
        }
        let latest = scale(asked, 1.0 + self.jitter).min(self.maximum_retry_after);
        asked + scale(latest.saturating_sub(asked), draw)
    }
}

/// `duration · factor`, at most [`INTERVAL_MAX`]; a whole number of nanoseconds.
fn scale(duration: Duration, factor: f64) -> Duration {
    let seconds = duration.as_secs_f64() * factor;
    if seconds >= INTERVAL_MAX.as_secs_f64() {
        INTERVAL_MAX
    } else {
        Duration::from_secs_f64(seconds.max(0.0))
    }
}

#[cfg(test)]
mod tests;
