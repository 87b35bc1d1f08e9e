//! What is simulated, and what comes of it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{ActivityName, AttemptError, Payload};
use steadfast_store::faults::FaultRates;

use super::world::World;
use crate::activity::AttemptInfo;
use crate::client::StartRequest;
use crate::config::Sabotage;

/// What a simulated body comes to; the number is an even random one.
pub type SimBody = Arc<dyn Fn(&AttemptInfo, &Payload, u64) -> Result<Payload, AttemptError> + Send + Sync>;

/// A simulation. [`Simulation::run`] gives the same report for the same plan.
#[derive(Clone)]
pub struct Simulation {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// The workflow functions.
    pub definitions: Vec<Arc<dyn Definition>>,
    /// The bodies of their activities.
    pub activities: BTreeMap<ActivityName, SimBody>,
    /// The runs to start, each with a queue of `q`.
    pub starts: Vec<StartRequest>,
    /// How many actions are taken while things go wrong.
    pub chaos_actions: u32,
    /// How many actions the runs have to end after that.
    pub calm_actions: u32,
    /// How often a call of the store fails while things go wrong.
    pub faults: FaultRates,
    /// In how many of a hundred cases a run is cancelled at some moment.
    pub cancel_percent: u64,
    /// A fault of the engine that is built in on purpose: the simulation has to find it.
    #[doc(hidden)]
    pub sabotage: Option<Sabotage>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// What happened, so that a test can see that something did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SimReport {
    /// Actions taken.
    pub actions: u64,
    /// Engines that died.
    pub crashes: u64,
    /// Engines that overslept their session.
    pub naps: u64,
    /// Groups committed.
    pub groups: u64,
    /// Attempts begun.
    pub attempts: u64,
    /// Attempts told to stop before they were over.
    pub stopped: u64,
    /// Events in all histories.
    pub events: u64,
    /// Commits that failed or were refused.
    pub failed_commits: u64,
    /// Threads that were given up to workflow code.
    pub successions: u64,
}

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("seed {seed}, action {action}: {problem}")]
pub struct SimFailure {
    /// The seed that repeats it.
    pub seed: u64,
    /// After how many actions.
    pub action: u64,
    /// What is wrong.
    pub problem: String,
}

impl Simulation {
    /// Runs the simulation to its end.
    ///
    /// # Errors
    ///
    /// [`SimFailure`] at the first thing that must not be.
    pub fn run(self) -> Result<SimReport, SimFailure> {
        let seed = self.seed;
        let mut world = World::new(self);
        let outcome = world.run();
        let report = world.report();
        match outcome {
            Ok(()) => Ok(report),
            Err(problem) => Err(SimFailure { seed, action: report.actions, problem }),
        }
    }
}
