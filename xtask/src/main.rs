//! Development commands of Steadfast: `cargo xtask test`, `cargo xtask ci`, `cargo xtask crash`, `cargo xtask
//! simulate`.
//!
//! A thin layer over cargo: it decides what runs in which order and says what failed. Children inherit the
//! environment and are started directly, never through a shell; their exit codes are passed on.

mod ci;
mod console;
mod crash;
mod features;
mod process;
mod simulate;
mod steps;
mod test;
mod tools;
mod version;

use std::process::ExitCode;

use clap::Parser;

/// Development commands of Steadfast.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Set up what the tests need on a fresh machine, then run all tests
    Test(test::Options),
    /// Run everything that a change must pass
    Ci(ci::Options),
    /// Kill a worker process again and again, and check that nothing is lost or repeated
    Crash(crash::Options),
    /// Step two engines on one store from many seeds, and check everything after every step
    Simulate(simulate::Options),
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Test(options) => test::run(&options),
        Command::Ci(options) => ci::run(&options),
        Command::Crash(options) => crash::run(&options),
        Command::Simulate(options) => simulate::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&error);
            process::exit_code_of(&error)
        }
    }
}
