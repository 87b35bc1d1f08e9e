//! Each workload at a tiny size, as a program: its lines have what they promise.

use std::process::{Command, Output};

use anyhow::{Context as _, ensure};
use serde_json::Value;

fn run(line: &str) -> anyhow::Result<Output> {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_steadfast-bench"));
    bench.args(line.split_whitespace()).output().context("the program does not start")
}

/// The results of a run with a store in a directory of its own.
fn results(line: &str) -> anyhow::Result<Vec<Value>> {
    let dir = tempfile::tempdir()?;
    let output = run(&format!("{line} --store {}", dir.path().join("store").display()))?;
    ensure!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(output.stdout)?;
    out.lines().map(|line| serde_json::from_str(line).context("a line is no JSON")).collect()
}

/// The numbers of a result by name; none may be missing, and none below zero.
#[track_caller]
fn numbers<const N: usize>(result: &Value, names: [&str; N]) -> [f64; N] {
    names.map(|name| {
        let number = result.get(name).and_then(Value::as_f64);
        number.filter(|number| *number >= 0.0).unwrap_or_else(|| panic!("no {name} in {result}"))
    })
}

const USED: [&str; 5] = ["secs", "cpu_s", "rss_mib", "written_bytes", "disk_bytes"];

#[track_caller]
fn is_about(result: &Value, workload: &str, n: u64) {
    assert_eq!((result["workload"].as_str(), result["n"].as_u64()), (Some(workload), Some(n)), "{result}");
    let [secs, cpu, rss, _written, disk] = numbers(result, USED);
    assert!(secs > 0.0 && cpu > 0.0 && rss > 1.0 && disk > 0.0, "{result}");
}

#[test]
fn raw_appends_alone_and_in_crowds() {
    let lines = results("--workload raw --n 3").expect("results");
    let stages: Vec<_> = lines.iter().map(|line| line["stage"].as_str()).collect();
    assert_eq!(stages, [Some("1 a sync"), Some("64 a sync"), Some("512 a sync")]);
    for line in &lines {
        is_about(line, "raw", 3);
        let [records, p50, p99, syncs] = numbers(line, ["records_per_s", "p50_ms", "p99_ms", "syncs"]);
        assert!(records > 0.0 && p50 > 0.0 && p99 >= p50 && (syncs - 3.0).abs() < 0.1, "{line}");
    }
}

#[test]
fn a_line_commits_once_an_activity() {
    let lines = results("--workload W1 --n 2").expect("results");
    let [line] = &lines[..] else { panic!("{lines:?}") };
    is_about(line, "W1", 2);
    let [per_s, ms, p50, p99, syncs] =
        numbers(line, ["activities_per_s", "ms_per_activity", "p50_ms", "p99_ms", "syncs"]);
    assert!((per_s * ms - 1_000.0).abs() < 10.0 && p50 > 0.0 && p99 >= p50, "{line}");
    // The start is one more for each of the two; the session keeper may have one of its own.
    assert!((202.0..=212.0).contains(&syncs), "{line}");
}

#[test]
fn a_crowd_shares_its_syncs() {
    let lines = results("--workload W2 --n 100").expect("results");
    let [line] = &lines[..] else { panic!("{lines:?}") };
    is_about(line, "W2", 100);
    let [workflows, activities, p50, p99, syncs] =
        numbers(line, ["workflows_per_s", "activities_per_s", "p50_ms", "p99_ms", "syncs"]);
    assert!((activities - 5.0 * workflows).abs() < 1.0 && p50 > 0.0 && p99 >= p50, "{line}");
    assert!(syncs > 0.0 && syncs < 600.0, "{line}");
}

#[test]
fn a_load_is_kept_up() {
    let lines = results("--workload W2 --secs 2 --concurrency 8").expect("results");
    let line = lines.last().expect("a total");
    is_about(line, "W2", line["n"].as_u64().expect("a count"));
    let [secs, workflows, first, last] =
        numbers(line, ["secs", "workflows_per_s", "rss_first_minute_mib", "rss_last_minute_mib"]);
    assert!(secs >= 2.0 && workflows > 0.0 && first > 1.0 && (first - last).abs() < 0.1, "{line}");
    assert_eq!(line["stage"], "total");
}

#[test]
fn a_long_run_shows_its_ends() {
    let lines = results("--workload w5 --n 100").expect("results");
    let [line] = &lines[..] else { panic!("{lines:?}") };
    is_about(line, "W5", 100);
    let [first, last, ms] = numbers(line, ["first_tenth_ms", "last_tenth_ms", "ms_per_activity"]);
    assert!(first > 0.0 && last > 0.0 && ms > 0.0, "{line}");
}

#[test]
fn a_store_in_memory_has_no_files() {
    let output = run("--workload W2 --n 10 --store memory:").expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert!(line.get("disk_bytes").is_none() && line["n"] == 10, "{line}");
}

#[test]
fn a_directory_in_use_is_refused_as_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("mine"), "text").expect("a file");
    for workload in ["raw", "W1", "W2", "W5", "W6"] {
        let output =
            run(&format!("--workload {workload} --n 1 --store {}", dir.path().display())).expect("it ran");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains("is not empty"), "{workload}: {error}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("it is there").count(), 1);
}
