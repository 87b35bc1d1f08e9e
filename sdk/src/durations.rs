//! Short names for durations, in code that is full of them.

use std::time::Duration;

/// `n` milliseconds.
///
/// ```
/// assert_eq!(steadfast::millis(1_500).as_secs_f64(), 1.5);
/// ```
#[must_use]
pub const fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// `n` seconds.
#[must_use]
pub const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// `n` minutes; at most [`Duration::MAX`].
#[must_use]
pub const fn minutes(n: u64) -> Duration {
    secs(n.saturating_mul(60))
}

/// `n` hours; at most [`Duration::MAX`].
///
/// ```
/// assert_eq!(steadfast::hours(2), steadfast::minutes(120));
/// ```
#[must_use]
pub const fn hours(n: u64) -> Duration {
    secs(n.saturating_mul(3_600))
}

/// `n` days of 24 hours; at most [`Duration::MAX`].
#[must_use]
pub const fn days(n: u64) -> Duration {
    secs(n.saturating_mul(86_400))
}
