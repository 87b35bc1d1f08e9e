//! The same programs on different grounds have the same histories, their times and ids included.

use anyhow::{Context as _, ensure};
use steadfast_core::encode_events;
use steadfast_core::history::Role;
use steadfast_engine::sim::Program;
use steadfast_tests::kit::{StoreKind, TestResult, story};

use crate::drive::{Ground, run};

const KEPT: Ground = Ground { store: StoreKind::Memory, evict_always: false };
const DROPPED: Ground = Ground { store: StoreKind::Memory, evict_always: true };
const SLED: Ground = Ground { store: StoreKind::Sled, evict_always: false };

fn number(variable: &str) -> anyhow::Result<Option<u64>> {
    std::env::var(variable).ok().map(|text| Ok(text.parse()?)).transpose()
}

/// Looks at so many programs, unless the environment says another number.
fn for_each(count: u64, mut look: impl FnMut(&Program, u64) -> TestResult) -> TestResult {
    let from = number("STEADFAST_FROM")?.unwrap_or(0);
    let count = number("STEADFAST_CASES")?.unwrap_or(count);
    (from..from + count).try_for_each(|seed| look(&Program::draw(seed, 45), seed))
}

/// What differs between two grounds, if anything does.
fn difference(grounds: [Ground; 2], program: &Program, seed: u64) -> TestResult<Option<String>> {
    let [(events, _), (others, _)] = [run(grounds[0], program, seed)?, run(grounds[1], program, seed)?];
    if encode_events(&events)? == encode_events(&others)? {
        return Ok(None);
    }
    let first = events.iter().zip(&others).find(|(event, other)| event != other);
    Ok(Some(format!("{first:?}\n{:#?}\n{:#?}", story(&events), story(&others))))
}

/// Runs programs on both grounds; shows the smallest program found if a history differs.
fn assert_equal(grounds: [Ground; 2], count: u64) -> TestResult {
    for_each(count, |program, seed| {
        let differs = |program: &Program| difference(grounds, program, seed);
        let shown = differs(program).with_context(|| format!("seed {seed}\n{program}"))?;
        let Some(problem) = shown else { return Ok(()) };
        let smallest = program.shrink(&mut |program| differs(program).is_ok_and(|shown| shown.is_some()));
        let last = differs(&smallest)?.unwrap_or_default();
        anyhow::bail!(
            "seed {seed} (STEADFAST_FROM={seed} STEADFAST_CASES=1), {grounds:?}: {problem}\n{program}\n\
             the smallest program found:\n{smallest}\n{last}"
        );
    })
}

#[test]
fn a_program_that_is_dropped_from_memory_after_every_activation_has_the_same_history() -> TestResult {
    assert_equal([KEPT, DROPPED], 150)
}

#[test]
fn a_program_has_the_same_history_on_every_store() -> TestResult {
    assert_equal([KEPT, SLED], 60)
}

#[test]
fn programs_are_dropped_from_memory_again_and_again() -> TestResult {
    let (mut inputs, mut drops) = (0, 0);
    for_each(40, |program, seed| {
        let (history, evicted) = run(DROPPED, program, seed)?;
        inputs += history.iter().filter(|event| event.kind.role() == Role::Input).count();
        drops += evicted;
        Ok(())
    })?;
    // Several inputs may share a commit; each commit that ends with nothing in flight drops the run.
    ensure!(drops * 2 > inputs, "dropped {drops} times in {inputs} activations");
    Ok(())
}
