//! What the command is told.

use clap::{Parser, ValueEnum};
use steadfast_engine::sim::{SimSabotage, Simulation};

/// Steps two engines on one memory store from many seeds, and checks everything that must hold after every step
#[derive(Debug, Clone, Parser)]
#[command(name = "simulate")]
pub(super) struct Options {
    /// How many seeds
    #[arg(long, default_value_t = 1_000)]
    pub(super) seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    pub(super) from: u64,
    /// Break the engine or the store on purpose: this must be found
    #[arg(long, value_enum)]
    pub(super) sabotage: Option<Sabotage>,
    /// How many seeds are run at a time
    #[arg(long, default_value_t = 2)]
    pub(super) threads: usize,
}

/// A way to break something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Sabotage {
    /// The store takes commits of owners that were replaced
    NoFence,
    /// Acknowledge before the commit is durable
    AckEarly,
    /// Let an effect happen before the commit that it belongs to
    EffectBeforeCommit,
}

impl Options {
    /// The simulation of one seed.
    pub(super) fn simulation(&self, seed: u64) -> Simulation {
        let sabotage = self.sabotage.map(|sabotage| match sabotage {
            Sabotage::NoFence => SimSabotage::NoFence,
            Sabotage::AckEarly => SimSabotage::AckEarly,
            Sabotage::EffectBeforeCommit => SimSabotage::EffectBeforeCommit,
        });
        Simulation { sabotage, ..Simulation::of_seed(seed) }
    }

    /// The line that runs one seed again.
    pub(super) fn again(&self, seed: u64) -> String {
        let sabotage = self.sabotage.and_then(|sabotage| sabotage.to_possible_value());
        let sabotage = sabotage.map(|value| format!(" --sabotage {}", value.get_name())).unwrap_or_default();
        format!("cargo xtask simulate --seeds 1 --from {seed}{sabotage}")
    }
}
