//! What is simulated, and how it is run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{ActivityName, AttemptError, Payload};
use steadfast_store::faults::FaultRates;

use super::report::SimReport;
use super::trace::Trace;
use super::world::World;
use crate::activity::AttemptInfo;
use crate::client::StartRequest;

/// What a simulated body comes to; the number is an even random one.
pub type SimBody = Arc<dyn Fn(&AttemptInfo, &Payload, u64) -> Result<Payload, AttemptError> + Send + Sync>;

/// A fault that is built in on purpose: the simulation has to find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimSabotage {
    /// The store takes commits of owners that were replaced.
    NoFence,
    /// Clients are answered before their record is durable.
    AckEarly,
    /// Bodies start before their grant is durable.
    EffectBeforeCommit,
}

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
    /// How often a call of the store goes wrong while things go wrong.
    pub faults: FaultRates,
    /// In how many of a hundred cases a run is cancelled at some moment.
    pub cancel_percent: u64,
    /// In how many of a hundred cases a run is terminated at some moment.
    pub terminate_percent: u64,
    /// A fault that is built in on purpose.
    pub sabotage: Option<SimSabotage>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("seed", &self.seed).finish_non_exhaustive()
    }
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
    /// The last things that happened before, oldest first.
    pub trace: Vec<String>,
}

impl Simulation {
    /// Runs the simulation to its end.
    ///
    /// # Errors
    ///
    /// [`SimFailure`] at the first thing that must not be.
    pub fn run(self) -> Result<SimReport, SimFailure> {
        let again = self.clone();
        let failure = match self.run_once(Trace::silent()) {
            Ok(report) => return Ok(report),
            Err(failure) => failure,
        };
        // What was told on the way costs more than the run itself, so it is told only of one that failed.
        match again.run_once(Trace::told()) {
            Err(told) if (told.action, &told.problem) == (failure.action, &failure.problem) => Err(told),
            other => {
                let other = other.map_or_else(|told| told.to_string(), |_| "no problem".to_owned());
                let problem = format!("{}; a second run does not repeat it: {other}", failure.problem);
                Err(SimFailure { problem, ..failure })
            }
        }
    }

    fn run_once(self, trace: Trace) -> Result<SimReport, SimFailure> {
        let seed = self.seed;
        let mut world = World::new(self, trace);
        let outcome = world.run();
        let report = world.report();
        match outcome {
            Ok(()) => Ok(report),
            Err(problem) => {
                let trace = world.told();
                Err(SimFailure { seed, action: report.counts.actions, problem, trace })
            }
        }
    }
}
