//! Random choices that a seed repeats.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A source of choices.
#[derive(Debug)]
pub(super) struct Dice(Pcg64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), 0xa02b_dbf7_bb3c_0a7a_c28f_a16a_64ab_f96a))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, or zero if that is zero.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // The bias of the remainder does not matter here.
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }

    pub(super) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u64::try_from(length).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// `true` in so many of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
