//! Runs that sleep cost disk, not memory, and opening a store does not look at them.
//!
//! Every part is a process of its own and every one of them is killed, so what it occupies is its own.

use std::process::Command;

use anyhow::ensure;
use serde_json::Value;

const SLEEPERS: u64 = 200_000;
const RSS_MIB_MAX: f64 = 300.0;
const REOPEN_SECONDS_MAX: f64 = 2.0;

#[track_caller]
fn number(line: &Value, name: &str) -> f64 {
    line.get(name).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {name} in {line}"))
}

/// The lines of the workload by part, each within the bound on memory.
#[expect(clippy::print_stdout, reason = "figures are printed, and never asserted on as text")]
fn sleep(count: u64) -> anyhow::Result<Vec<Value>> {
    let dir = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO_BIN_EXE_steadfast-bench"))
        .args(["--workload", "W6", "--n", &count.to_string(), "--store"])
        .arg(dir.path().join("store"))
        .output()?;
    let out = String::from_utf8(output.stdout)?;
    println!("{out}");
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = out.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let stages: Vec<_> = lines.iter().map(|line| line["stage"].as_str().unwrap_or("none")).collect();
    assert_eq!(stages, ["start", "reopen", "reopen", "reopen", "wake"], "{out}");
    for line in &lines {
        assert_eq!(line["n"], count, "{line}");
        assert!(number(line, "rss_mib") <= RSS_MIB_MAX, "too much memory: {line}");
    }
    let wake = &lines[4];
    assert_eq!((&wake["asleep"], &wake["woken"]), (&count.into(), &1.into()), "{wake}");
    Ok(lines)
}

#[test]
fn a_few_sleeping_runs_outlive_their_process_and_one_wakes() {
    sleep(50).expect("all parts end");
}

#[test]
fn two_hundred_thousand_sleeping_runs_cost_disk_and_not_memory() {
    let lines = sleep(SLEEPERS).expect("all parts end");
    // The processor time is not that of others; the clock on the wall is, so its best counts.
    let reopened = || lines.iter().filter(|line| line["stage"] == "reopen");
    for line in reopened() {
        assert!(number(line, "cpu_s") <= REOPEN_SECONDS_MAX, "too slow: {line}");
    }
    let best = reopened().map(|line| number(line, "secs")).fold(f64::INFINITY, f64::min);
    assert!(best <= REOPEN_SECONDS_MAX, "reopened in {best} s at best");
}
