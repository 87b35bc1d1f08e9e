//! `cargo xtask ci`: everything that a change must pass, the cheapest first.

use crate::process::{self, cargo};
use crate::steps::Steps;
use crate::{console, features, test, tools};

/// Options of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {}

pub(crate) fn run(_: &Options) -> anyhow::Result<()> {
    let mut steps = Steps::new();
    steps.step("format", || cargo_step(&["fmt", "--all", "--check"]))?;
    steps.step("lints", || {
        cargo_step(&["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])
    })?;
    test::all_tests(&mut steps, true)?;
    steps.step("tests with every run evicted after every activation", || {
        // The same selection as before, so that nothing is built anew.
        test::tests(&["--workspace"], true, &[("STEADFAST_EVICT", "always")])
    })?;
    steps.step("documentation", documentation)?;
    steps.step("features", each_feature)?;
    steps.step("licences, bans and sources of dependencies", dependencies)?;
    steps.finish();
    Ok(())
}

fn cargo_step(args: &[&str]) -> anyhow::Result<()> {
    process::run(&mut cargo(args))?;
    Ok(())
}

fn documentation() -> anyhow::Result<()> {
    let mut command = cargo(["doc", "--locked", "--workspace", "--no-deps"]);
    process::run(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(())
}

/// The package that users name must build without its features and with each one alone.
fn each_feature() -> anyhow::Result<()> {
    let check = ["check", "--locked", "--package", "steadfast", "--no-default-features"];
    process::run(&mut cargo(check))?;
    for feature in features::of_sdk()? {
        process::run(cargo(check).args(["--features", &feature]))?;
    }
    Ok(())
}

fn dependencies() -> anyhow::Result<()> {
    if !tools::has_cargo_deny() {
        console::notice("SKIPPED: cargo deny check licenses bans sources: cargo-deny is not installed");
        console::notice("(to run it here: cargo install cargo-deny --locked)");
        return Ok(());
    }
    cargo_step(&["deny", "--locked", "check", "licenses", "bans", "sources"])
}
