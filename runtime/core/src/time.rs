//! Points in time, as numbers that somebody else measured: this package reads no clock.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const MICROS_PER_SECOND: u64 = 1_000_000;
const SECONDS_PER_DAY: u64 = 86_400;

/// Microseconds since 1970-01-01T00:00:00Z. Arithmetic saturates.
///
/// ```
/// use steadfast_core::Timestamp;
/// let at = Timestamp::from_micros(1_500_000);
/// assert_eq!(at.to_string(), "1970-01-01T00:00:01.500000Z");
/// assert_eq!(Timestamp::parse("1970-01-01T00:00:01.500000Z"), Some(at));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The earliest point in time; in a due key it means "at once".
    pub const ZERO: Self = Self(0);
    /// The last point in time: never reached.
    pub const MAX: Self = Self(u64::MAX);

    /// The point in time `micros` microseconds after 1970 began.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970 began.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Milliseconds since 1970 began, rounded down.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000
    }

    /// The point in time `duration` later, at most [`Timestamp::MAX`]. A part of a microsecond counts as one,
    /// so that a wait never ends early.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let micros = duration.as_nanos().div_ceil(1_000);
        Self(self.0.saturating_add(u64::try_from(micros).unwrap_or(u64::MAX)))
    }

    /// How long after `earlier` this is; zero if it is not later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// Reads the text form that `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('Z')?;
        let (date, clock) = text.split_once('T')?;
        let mut date = date.splitn(3, '-').map(str::parse::<u64>);
        let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
        let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let mut clock = whole.splitn(3, ':').map(str::parse::<u64>);
        let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
        let in_range = (1970..=600_000).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60
            && (1..=6).contains(&fraction.len());
        if !in_range {
            return None;
        }
        let micros = format!("{fraction:0<6}").parse::<u64>().ok()?;
        let seconds =
            days_from_civil(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second;
        seconds.checked_mul(MICROS_PER_SECOND)?.checked_add(micros).map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.0 / MICROS_PER_SECOND, self.0 % MICROS_PER_SECOND);
        let (days, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u64::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no UTC time")))
    }
}

/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`, for years from 1970 on.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`, for days from 1970 on.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests;
