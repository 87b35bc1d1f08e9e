//! Many seeds, and a small program where one fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use steadfast_engine::sim::{Dice, Program};

/// How many programs a property is checked over when nothing is said.
const CASES: u64 = 5_000;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// The program of a seed: some are small, some are large.
pub(crate) fn program(seed: u64) -> Program {
    let size = 4 + Dice::new(seed).index(80);
    Program::draw(seed, size)
}

/// Checks a property over many programs. The seed also decides what happens to them.
pub(crate) fn check(property: impl Fn(&Program, u64) -> Result<(), String>) {
    let from = number("STEADFAST_FROM").unwrap_or(0);
    let count = number("STEADFAST_CASES").unwrap_or(CASES);
    let holds = |program: &Program, seed: u64| {
        let checked = catch_unwind(AssertUnwindSafe(|| property(program, seed)));
        checked.unwrap_or_else(|_| Err("panicked; see above".to_owned()))
    };
    for seed in from..from + count {
        let program = program(seed);
        let Err(problem) = holds(&program, seed) else { continue };
        // A smaller program that fails in another way would explain nothing.
        let kind = |problem: &str| problem.split([':', '\n']).next().map(str::to_owned);
        let smallest = program.shrink(&mut |program| {
            holds(program, seed).err().is_some_and(|other| kind(&other) == kind(&problem))
        });
        let last = holds(&smallest, seed).err().unwrap_or_default();
        panic!(
            "seed {seed} (STEADFAST_FROM={seed} STEADFAST_CASES=1): {problem}\n\
             the smallest program found, of {} nodes:\n{smallest}\n{last}",
            smallest.size(),
        );
    }
}
