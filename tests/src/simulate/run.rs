//! The seeds, one after the other on each thread; the first that fails ends the run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Parser;
use steadfast_engine::sim::{SimFailure, SimReport};

use super::options::Options;

/// With fewer seeds not everything can be expected to happen.
const COVERAGE_SEEDS_MIN: u64 = 50;
/// How often progress is told.
const PROGRESS_EVERY: u64 = 100;
/// Not everything that must happen did.
const EXIT_NOT_COVERED: u8 = 2;

/// What the threads have done.
#[derive(Default)]
struct Done {
    reports: BTreeMap<u64, SimReport>,
    failures: Vec<SimFailure>,
}

/// The entry of the program.
#[must_use]
pub fn main() -> ExitCode {
    let options = Options::parse();
    let done = run(&options);
    let mut total = SimReport::default();
    // In the order of the seeds: the trace of all does not depend on the threads.
    done.reports.values().for_each(|report| total.add(report));
    say(&total.to_string());
    say(&format!("seeds from {}: {} passed", options.from, done.reports.len()));
    if let Some(failure) = done.failures.iter().min_by_key(|failure| failure.seed) {
        failure.trace.iter().for_each(|line| say(line));
        say(&failure.to_string());
        say(&format!("1 failed; again: {}", options.again(failure.seed)));
        return ExitCode::FAILURE;
    }
    if options.seeds >= COVERAGE_SEEDS_MIN {
        let gaps = total.gaps();
        if !gaps.is_empty() {
            gaps.iter().for_each(|gap| say(&format!("did not happen: {gap}")));
            return ExitCode::from(EXIT_NOT_COVERED);
        }
    }
    say(&format!("{} passed", done.reports.len()));
    ExitCode::SUCCESS
}

fn run(options: &Options) -> Done {
    let next = AtomicU64::new(0);
    let has_failed = AtomicBool::new(false);
    let done = Mutex::new(Done::default());
    let work = || {
        while !has_failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= options.seeds {
                return;
            }
            let seed = options.from.wrapping_add(index);
            let result = options.simulation(seed).run();
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(report) => {
                    done.reports.insert(seed, report);
                    let count = done.reports.len() as u64;
                    if count.is_multiple_of(PROGRESS_EVERY) {
                        note(&format!("{count} of {}", options.seeds));
                    }
                }
                Err(failure) => {
                    has_failed.store(true, Ordering::Relaxed);
                    done.failures.push(failure);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn say(text: &str) {
    // Nobody reads it if this fails.
    drop(writeln!(io::stdout().lock(), "{text}"));
}

/// Progress.
fn note(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}
