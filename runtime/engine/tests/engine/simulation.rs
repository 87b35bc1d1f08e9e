//! Two engines on one store, stepped from seeds.

use steadfast_engine::sim::{SimReport, SimSabotage, Simulation};

/// How many seeds are simulated when nothing is said.
const SEEDS: u64 = 1_000;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn everything_holds_after_every_step_and_every_run_ends() {
    let from = number("STEADFAST_SIM_FROM").unwrap_or(0);
    let asked = number("STEADFAST_SIM_SEEDS");
    let mut total = SimReport::default();
    for seed in from..from + asked.unwrap_or(SEEDS) {
        let report = Simulation::of_seed(seed).run().unwrap_or_else(|failure| {
            let trace = failure.trace.join("\n");
            panic!("{trace}\n{failure} (STEADFAST_SIM_FROM={seed} STEADFAST_SIM_SEEDS=1)")
        });
        total.add(&report);
    }
    println!("{total}");
    // Of a few seeds not everything can be expected.
    if asked.is_none() {
        assert_eq!(total.gaps(), [""; 0], "did not happen");
    }
}

#[test]
fn faults_built_in_on_purpose_are_found() {
    for sabotage in [SimSabotage::NoFence, SimSabotage::AckEarly, SimSabotage::EffectBeforeCommit] {
        let found = (0..50).find_map(|seed| {
            let sabotage = Some(sabotage);
            Simulation { sabotage, ..Simulation::of_seed(seed) }.run().err()
        });
        let failure = found.unwrap_or_else(|| panic!("{sabotage:?} was not found"));
        assert!(!failure.trace.is_empty(), "it is told how it came about");
        println!("{sabotage:?}: {failure}");
    }
}

#[test]
fn a_seed_repeats_its_run_and_another_one_does_not() {
    let of = |seed| Simulation::of_seed(seed).run().unwrap();
    let first = of(7);
    assert_eq!(of(7), first);
    assert_ne!(of(8).trace, first.trace);
}
