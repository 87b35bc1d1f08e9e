//! What the driver does below the store: one durable commit after the other, each of what an activity writes at least.
//! An engine that commits once an activity through this driver takes this long for it, and something of its own.
//!
//! `cargo run --release -p steadfast-store-sled --example lone_commits -- DIR N` makes N commits in a new directory and
//! prints a line of JSON. All times are taken by this program around a whole commit; `syncs` are its own calls.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// As the store opens it.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// A new record of history.
const RECORD: [u8; 300] = [7; 300];
/// The head of the run, which is overwritten.
const HEAD: [u8; 120] = [8; 120];
/// The store's own count, which is overwritten.
const COUNT: [u8; 40] = [9; 40];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let said = match &arguments[..] {
        [dir, count] => measure(Path::new(dir), count).and_then(|line| Ok(writeln!(io::stdout(), "{line}")?)),
        _ => Err("usage: lone_commits DIR N".into()),
    };
    if let Err(error) = said {
        // There is nobody left to tell if this fails.
        let _ = writeln!(io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn measure(dir: &Path, count: &str) -> Result<String, Box<dyn Error>> {
    let count: usize =
        count.parse().map_err(|error| format!("`{count}` is no number of commits: {error}"))?;
    if count == 0 {
        return Err("no commits are nothing to measure".into());
    }
    // What was there would be measured too.
    fs::create_dir(dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let begun = Instant::now();
    let mut times = commit(dir, count)?;
    let secs = begun.elapsed().as_secs_f64();
    let busy = times.iter().sum::<Duration>().as_secs_f64();
    times.sort_unstable();
    let percentile = |percent: usize| {
        let time = times.get((count * percent).div_ceil(100).max(1) - 1).copied().unwrap_or_default();
        time.as_secs_f64() * 1e3
    };
    Ok(format!(
        r#"{{"workload":"sled","n":{count},"secs":{secs:.4},"records_per_s":{:.4},"p50_ms":{:.4},"p99_ms":{:.4},"syncs":{count}}}"#,
        count as f64 / busy,
        percentile(50),
        percentile(99),
    ))
}

/// How long each commit took.
fn commit(dir: &Path, count: usize) -> Result<Vec<Duration>, Box<dyn Error>> {
    let db = sled::Config::new().path(dir).cache_capacity(CACHE_BYTES).flush_every_ms(None).open()?;
    // What the driver's own flush leaves to the system is made durable here, as the store does.
    let log = File::open(dir.join("db"))?;
    let mut times = Vec::new();
    for number in 0..count {
        let begun = Instant::now();
        let mut batch = sled::Batch::default();
        batch.insert([&b"history"[..], &number.to_be_bytes()].concat(), &RECORD[..]);
        batch.insert(&b"head"[..], &HEAD[..]);
        batch.insert(&b"count"[..], &COUNT[..]);
        db.apply_batch(batch)?;
        db.flush()?;
        log.sync_data()?;
        times.push(begun.elapsed());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_commit_is_timed_and_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("new");
        let line = measure(&path, "5").expect("it is measured");
        assert!(
            line.starts_with(r#"{"workload":"sled","n":5,"secs":"#) && line.ends_with(r#""syncs":5}"#),
            "{line}"
        );
        for name in ["secs", "records_per_s", "p50_ms", "p99_ms"] {
            let (_, rest) = line.split_once(&format!("\"{name}\":")).expect("it is in the line");
            let number = rest.split([',', '}']).next().and_then(|number| number.parse::<f64>().ok());
            assert!(number.is_some_and(|number| number > 0.0), "{name}: {line}");
        }
        let db = sled::open(&path).expect("it opens again");
        assert_eq!(db.len(), 5 + 2);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        let refused =
            |name: &str, count| measure(&dir.path().join(name), count).expect_err("refused").to_string();
        assert!(refused("new", "0").contains("nothing to measure"));
        assert!(refused("new", "many").contains("no number"));
        assert!(refused("", "1").contains("cannot make"));
        assert!(fs::read_dir(dir.path()).expect("it is there").next().is_none());
    }
}
