//! What a seed simulates.

use std::time::Duration;

use steadfast_core::{Payload, QueueName, RequestId, WorkflowId, WorkflowType};
use steadfast_store::faults::FaultRates;

use super::super::dice::Dice;
use super::super::plan::Simulation;
use super::super::program::Program;
use super::code::named;
use super::{bodies, flows, sagas};
use crate::client::{IdConflictPolicy, StartRequest};

/// How many runs of fixed functions, and of programs.
const FIXED: usize = 8;
const PROGRAMS: u64 = 5;
/// How many nodes a program has at most.
const PROGRAM_NODES: u64 = 40;

impl Simulation {
    /// The simulation of a seed: some runs of fixed functions and some of programs that are drawn.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x51ed_270b_e1f2_3c5d);
        let mut definitions = flows::all();
        definitions.extend(sagas::all());
        let mut activities = bodies::all();
        let mut starts = Vec::new();
        for index in 0..FIXED {
            let kind = definitions[dice.index(definitions.len())].workflow_type().clone();
            starts.push(request(kind, &format!("w-{index}"), &mut dice));
        }
        for index in 0..PROGRAMS {
            let nodes = usize::try_from(4 + dice.below(PROGRAM_NODES)).unwrap_or(4);
            let program = Program::draw(dice.next(), nodes);
            let name = format!("program-{index}");
            activities.extend(program.bodies(seed));
            definitions.push(program.definition(&named(WorkflowType::new, &name)));
            starts.push(request(named(WorkflowType::new, &name), &format!("p-{index}"), &mut dice));
        }
        starts.extend(rivals(&starts, &mut dice));
        Self {
            seed,
            definitions,
            activities,
            starts,
            chaos_actions: 2_500,
            calm_actions: 60_000,
            faults: FaultRates { fail_before: 2, fail_after: 2, delay: 1, duplicate: 3 },
            cancel_percent: 20,
            terminate_percent: 6,
            sabotage: None,
        }
    }
}

fn request(kind: WorkflowType, workflow_id: &str, dice: &mut Dice) -> StartRequest {
    let (id, queue) = (named(WorkflowId::new, workflow_id), named(QueueName::new, "q"));
    let input = Payload::json(&dice.below(100)).unwrap_or_else(|_| Payload::null());
    let mut request = StartRequest::new(id, kind, queue, input);
    if dice.percent(15) {
        request.start_delay = Some(Duration::from_millis(dice.below(10_000)));
    }
    if dice.percent(15) {
        request.run_timeout = Some(Duration::from_secs(5 + dice.below(120)));
    } else if dice.percent(5) {
        request.execution_timeout = Some(Duration::from_secs(5 + dice.below(60)));
    }
    request
}

/// Other clients that want a run under an id that is in use.
fn rivals(starts: &[StartRequest], dice: &mut Dice) -> Vec<StartRequest> {
    let mut rivals = Vec::new();
    for start in starts {
        if !dice.percent(12) {
            continue;
        }
        let mut rival = start.clone();
        rival.id_conflict = if dice.percent(50) {
            IdConflictPolicy::UseExisting
        } else {
            IdConflictPolicy::TerminateExisting
        };
        rival.request_id = RequestId::new(format!("rival of {}", start.workflow_id)).ok();
        rivals.push(rival);
    }
    rivals
}
