//! Random choices that a seed repeats.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A source of choices.
#[derive(Debug)]
pub struct Dice(Pcg64);

impl Dice {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), 0xa02b_dbf7_bb3c_0a7a_c28f_a16a_64ab_f96a))
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "it never ends, and nobody iterates over it")]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, or zero if that is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The bias of the remainder does not matter here.
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// An index into something of `length` elements; zero if there are none.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u64::try_from(length).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// `true` in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
