//! What the tests need to find on a machine, and how it gets there.

use std::process::Command;

use anyhow::{Context, bail};

use crate::version::Version;
use crate::{console, process};

/// The oldest Rust that builds this workspace.
const RUST_VERSION_MIN: &str = env!("CARGO_PKG_RUST_VERSION");

/// A program that must be there.
struct Requirement {
    /// What to run to see whether it is there.
    probe: (&'static str, &'static str),
    what: &'static str,
    debian_package: &'static str,
}

const REQUIREMENTS: &[Requirement] =
    &[Requirement { probe: ("cc", "--version"), what: "a C compiler", debian_package: "build-essential" }];

/// How tests are run on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo nextest run`: a process for each test.
    Nextest,
    /// `cargo test`, which every installation of Rust has.
    CargoTest,
}

/// Checks the tools and installs what is missing and may be installed.
pub(crate) fn check() -> anyhow::Result<()> {
    check_rust()?;
    let missing = REQUIREMENTS.iter().filter(|needed| !is_present(needed.probe)).collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    let what = missing.iter().map(|needed| needed.what).collect::<Vec<_>>().join(", ");
    let packages = missing.iter().map(|needed| needed.debian_package).collect::<Vec<_>>();
    console::notice(&format!("missing: {what}"));
    if !may_install() {
        bail!(
            "this machine lacks {what}. On Debian or Ubuntu run \
             `sudo apt-get update && sudo apt-get install {}`; elsewhere install the same by the system's own means",
            packages.join(" ")
        );
    }
    install(&packages)?;
    match missing.iter().find(|needed| !is_present(needed.probe)) {
        None => Ok(()),
        Some(still) => bail!("{} is still missing after {} was installed", still.what, still.debian_package),
    }
}

/// Whether cargo-deny is installed.
pub(crate) fn has_cargo_deny() -> bool {
    process::output_of(&mut process::cargo(["deny", "--version"])).is_ok()
}

/// The test runner of this machine.
pub(crate) fn runner() -> Runner {
    if process::output_of(&mut process::cargo(["nextest", "--version"])).is_ok() {
        return Runner::Nextest;
    }
    console::notice("cargo-nextest is not installed: using cargo test");
    console::notice("(for a process for each test: cargo install cargo-nextest --locked)");
    Runner::CargoTest
}

fn check_rust() -> anyhow::Result<()> {
    let line = process::output_of(Command::new("rustc").arg("--version")).context("Rust is not installed")?;
    let (found, needed) = (Version::find_in(&line)?, Version::find_in(RUST_VERSION_MIN)?);
    console::notice(line.trim());
    if found < needed {
        bail!("this is Rust {found}, the workspace needs {needed} or newer: run `rustup update`");
    }
    Ok(())
}

fn is_present((program, argument): (&str, &str)) -> bool {
    process::output_of(Command::new(program).arg(argument)).is_ok()
}

/// Packages are installed without asking only where apt-get is there and this is root.
fn may_install() -> bool {
    let is_root = process::output_of(Command::new("id").arg("-u")).is_ok_and(|user_id| user_id.trim() == "0");
    is_root && is_present(("apt-get", "--version"))
}

fn install(packages: &[&str]) -> anyhow::Result<()> {
    process::run(Command::new("apt-get").arg("update"))?;
    let mut command = Command::new("apt-get");
    command.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    process::run(command.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}
