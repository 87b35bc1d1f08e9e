//! Random choices that a seed repeats.

use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A source of choices.
#[derive(Debug)]
pub(crate) struct Dice(Pcg32);

impl Dice {
    /// The choices number `stream` of a seed: each stream is of its own.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        // Streams of neighbouring numbers must not look alike.
        Self(Pcg32::seed_from_u64(seed ^ stream.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// A number below `bound`, or zero if that is zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // The bias of the remainder does not matter here.
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// `true` in so many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A time of so many milliseconds, both bounds included.
    pub(crate) fn millis(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_millis(self.between(low, high))
    }

    /// A number from 0 to 999, for a share of something that is not known yet.
    pub(crate) fn permille(&mut self) -> u64 {
        self.below(1_000)
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[usize::try_from(self.below(list.len() as u64)).unwrap_or(0)]
    }
}
