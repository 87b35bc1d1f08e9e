//! Kills worker processes over many workflows and checks that nothing acknowledged is lost and nothing runs twice.

use std::process::ExitCode;

fn main() -> ExitCode {
    steadfast_tests::crash::main()
}
