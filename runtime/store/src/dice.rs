//! Random choices that a seed repeats.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A source of choices.
#[derive(Debug, Clone)]
pub(crate) struct Dice(Pcg32);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// A number below `bound`, or zero if that is zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // The bias of the remainder does not matter here.
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// `true` in so many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// An index into something of `length` elements.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }
}
