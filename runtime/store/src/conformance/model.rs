//! Random operation sequences on a store and on the model, compared step by step.
//!
//! A sequence goes on until every kind of operation, every kind of write and every read has succeeded at least once,
//! with reopenings in between. What fails names the seed; [`compare`] with it repeats the run.

mod operation;
mod reading;
mod run;
mod writes;

use super::harness::Harness;

/// The seed that the suite uses; a store's own tests may try more.
pub const SEED: u64 = 20_260_731;

/// Compares a fresh store with the model over one random sequence.
///
/// # Panics
///
/// If they differ; the message begins with the seed and the number of the step.
pub fn compare(harness: &mut dyn Harness, seed: u64) {
    run::Comparison::new(harness, seed).run();
}

pub(super) fn random_operations_agree_with_the_model(harness: &mut dyn Harness) {
    compare(harness, SEED);
}
