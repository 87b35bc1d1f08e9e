//! `steadfast-bench --workload W --n N --store URL`: measures one workload and prints a line of JSON for each result.

use std::process::ExitCode;

fn main() -> ExitCode {
    steadfast_bench::main()
}
