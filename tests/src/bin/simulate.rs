//! Steps two engines on one memory store from many seeds, and checks everything that must hold after every step.

use std::process::ExitCode;

fn main() -> ExitCode {
    steadfast_tests::simulate::main()
}
