//! `cargo xtask test`: sets up what the tests need, then runs all of them.

use crate::process::{self, cargo};
use crate::steps::Steps;
use crate::tools::{self, Runner};

/// Options of `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Refuse to change Cargo.lock
    #[arg(long)]
    locked: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut steps = Steps::new();
    all_tests(&mut steps, options.locked)?;
    steps.finish();
    Ok(())
}

/// The steps of this command, which `ci` does too.
pub(crate) fn all_tests(steps: &mut Steps, locked: bool) -> anyhow::Result<()> {
    steps.step("tools", tools::check)?;
    steps.step("tests", || tests(&["--workspace"], locked, &[]))?;
    steps.step("doctests", || {
        process::run(cargo(["test", "--doc", "--workspace"]).args(locked.then_some("--locked")))?;
        Ok(())
    })
}

/// Runs the tests of the packages that `selection` names, all of them even when some fail.
pub(crate) fn tests(selection: &[&str], locked: bool, environment: &[(&str, &str)]) -> anyhow::Result<()> {
    let mut command = match tools::runner() {
        Runner::Nextest => cargo(["nextest", "run"]),
        Runner::CargoTest => cargo(["test", "--tests"]),
    };
    command.args(selection).arg("--no-fail-fast").args(locked.then_some("--locked"));
    process::run(command.envs(environment.iter().copied()))?;
    Ok(())
}
