//! The parent: hosts the outside world, runs one worker after the other, and judges in the end.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tour_booking::service::Running;
use tour_booking::service::client::BookingClient;

use super::callers::Callers;
use super::check::{self, Evidence};
use super::finding::Finding;
use super::options::{Command, Options, PlanOptions};
use super::outside::Book;
use super::plan::Plan;
use super::report::Report;
use super::round::Killed;
use super::worker;

/// Everything that outlives the workers.
#[derive(Debug)]
pub(crate) struct Harness {
    pub(crate) options: PlanOptions,
    pub(crate) plan: Plan,
    pub(crate) callers: Callers,
    pub(crate) book: Arc<Mutex<Book>>,
    pub(crate) booking: SocketAddr,
    pub(crate) listener: Option<TcpListener>,
    dir: PathBuf,
}

/// The entry of the program.
#[must_use]
pub fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("no runtime: {error}")),
    };
    match options.command {
        Some(Command::Worker { assignment }) => match runtime.block_on(worker::run(&assignment)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&format!("worker: {error:#}")),
        },
        None => runtime.block_on(run(options.plan)),
    }
}

async fn run(options: PlanOptions) -> ExitCode {
    let dir = match tempfile::Builder::new().prefix("steadfast-crash-").tempdir() {
        Ok(dir) => dir,
        Err(error) => return failed(&format!("no temporary directory: {error}")),
    };
    match judged(options.clone(), dir.path()).await {
        Ok(report) => {
            say(&report.to_string());
            if !report.is_good() {
                keep(&options, dir);
            }
            report.exit_code()
        }
        Err(error) => {
            note(&format!("{error:#}"));
            keep(&options, dir);
            ExitCode::FAILURE
        }
    }
}

/// All rounds and all checks.
async fn judged(options: PlanOptions, dir: &Path) -> anyhow::Result<Report> {
    let service =
        tour_booking::service::start(tour_booking::service::Options::new(dir.join("booking"))).await?;
    let mut harness = Harness::new(options, dir, &service);
    let kills = harness.all_rounds().await?;
    let last = harness.options.rounds + 1;
    note(&format!("round {last}: no kill, until everything is closed"));
    let runs = harness.last_round(last).await;
    let runs = runs.with_context(|| format!("round {last}, seed {}", harness.options.seed))?;
    let books = BookingClient::new(service.address())?.books().await?;
    service.stop().await?;
    let (findings, effects, counts) = {
        let book = harness.book.lock().unwrap_or_else(PoisonError::into_inner);
        (book.findings().to_vec(), book.effects(), book.counts())
    };
    let log = harness.log();
    let evidence = Evidence { last, callers: &harness.callers, effects, books, runs, log };
    let mut verdict = check::all(&evidence)?;
    verdict.findings.splice(0..0, harness.callers.findings.iter().cloned().chain(findings));
    Ok(Report {
        rounds: harness.options.rounds,
        seed: harness.options.seed,
        has_short_lives: harness.options.life_max.is_some(),
        kills,
        acknowledged: harness.callers.acknowledged(),
        outside: counts,
        verdict,
    })
}

impl Harness {
    fn new(options: PlanOptions, dir: &Path, service: &Running) -> Self {
        Self {
            plan: Plan::new(options.seed, options.life_max),
            callers: Callers::new(options.seed),
            book: Arc::default(),
            booking: service.address(),
            listener: None,
            dir: dir.to_owned(),
            options,
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What workers log.
    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("worker.log")
    }

    async fn all_rounds(&mut self) -> anyhow::Result<Vec<Killed>> {
        let mut kills = Vec::new();
        for round in 1..=self.options.rounds {
            let kill = self.plan.draw();
            let killed = self.killed_round(round, kill).await;
            let finding = self.first_finding();
            if let Some(finding) = &finding {
                note(&format!("{finding}; seed {}: no more kills", self.options.seed));
            }
            let killed = killed.with_context(|| format!("round {round}, seed {}", self.options.seed))?;
            note(&killed.to_string());
            kills.push(killed);
            if finding.is_some() {
                break;
            }
        }
        Ok(kills)
    }

    fn first_finding(&self) -> Option<Finding> {
        let book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        self.callers.findings.first().or_else(|| book.findings().first()).cloned()
    }
}

fn keep(options: &PlanOptions, dir: TempDir) {
    let PlanOptions { rounds, seed, life_max, sabotage } = options;
    let sabotage = sabotage.and_then(|fault| fault.to_possible_value());
    let sabotage = sabotage.map(|fault| format!(" --sabotage {}", fault.get_name())).unwrap_or_default();
    let life_max = life_max.map(|millis| format!(" --life-max {millis}")).unwrap_or_default();
    let dir = dir.keep();
    note(&format!(
        "--rounds {rounds} --seed {seed}{life_max}{sabotage} failed; the directory is kept: {}",
        dir.display()
    ));
}

fn failed(what: &str) -> ExitCode {
    note(what);
    ExitCode::FAILURE
}

fn say(text: &str) {
    // Nobody reads it if this fails.
    drop(writeln!(io::stdout().lock(), "{text}"));
}

/// Progress and trouble.
fn note(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}
