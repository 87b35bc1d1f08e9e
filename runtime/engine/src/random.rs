//! Random numbers of the engine: run ids, seeds of runs, jitter. Never those that workflow code sees.

use rand_core::Rng;
use rand_pcg::Pcg64;
use steadfast_core::{RunId, ShardId, Timestamp};

/// The generator of one shard. The same seed gives the same numbers.
#[derive(Debug, Clone)]
pub(crate) struct ShardRandom(Pcg64);

/// A seed from the operating system.
pub(crate) fn seed_from_system() -> u64 {
    let mut bytes = [0_u8; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => u64::from_le_bytes(bytes),
        // Hash keys are random per process and need no system call that could be refused.
        _ => std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 0_u8),
    }
}

impl ShardRandom {
    /// The generator of a shard, from the engine's seed: each shard has a stream of its own.
    pub(crate) fn new(seed: u64, shard: ShardId) -> Self {
        Self(Pcg64::new(u128::from(seed) << 64 | u128::from(!seed), u128::from(shard.0)))
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An even random number from 0 to 1.
    pub(crate) fn draw(&mut self) -> f64 {
        // The upper 53 bits are what a double holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
        let draw = (self.0.next_u64() >> 11) as f64 / ((1_u64 << 53) - 1) as f64;
        draw
    }

    pub(crate) fn run_id(&mut self, at: Timestamp) -> RunId {
        let mut random = [0_u8; 10];
        self.0.fill_bytes(&mut random);
        RunId::new(at.as_millis(), &random)
    }
}
