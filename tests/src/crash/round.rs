//! One worker from its start to its end.

use std::future::pending;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::Signal;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep_until};

use super::assignment::{Assignment, OpenCase, PointKill};
use super::callers::{Caller, Cancel};
use super::line::Line;
use super::outside;
use super::phase::{Marks, Phase};
use super::plan::Kill;
use super::point::Point;
use super::process::WorkerProcess;
use super::run::Harness;

/// How many workflows are in flight.
pub(crate) const IN_FLIGHT: usize = 96;
/// How many workflows at least each worker begins that does not live long.
const STARTS_PER_LIFE: u32 = 3;
/// How long a worker may take until everything is in flight.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a worker that is to end itself may live; then it is killed from outside.
const POINT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long the last worker may take.
const FINISH_TIMEOUT: Duration = Duration::from_secs(300);

/// How a worker was killed, and in the middle of what.
#[derive(Debug, Clone)]
pub(crate) struct Killed {
    pub(crate) round: u32,
    /// It ended itself at a fail point, at its visit of this number.
    pub(crate) at_point: Option<(&'static str, u64)>,
    /// It was to end itself there, but did not come by.
    pub(crate) not_reached: Option<&'static str>,
    pub(crate) phases: Vec<Phase>,
    /// How many workflows were in flight, as far as callers knew.
    pub(crate) in_flight: usize,
}

/// What the lines of a worker say about itself.
#[derive(Debug, Default)]
struct Milestones {
    opening: Option<Instant>,
    opened: Option<Instant>,
    ready: Option<Instant>,
    finished: bool,
}

impl Harness {
    /// Runs a worker and kills it.
    pub(crate) async fn killed_round(&mut self, round: u32, kill: Kill) -> anyhow::Result<Killed> {
        let assignment = self.assignment(round, Some(kill), None).await?;
        let (milestones, status) = self.watch(&assignment, Some(kill)).await?;
        if status.signal() != Some(Signal::KILL.as_raw()) {
            bail!("the worker ended by itself: {status}; its log is {}", self.log().display());
        }
        let marks = Marks::read(&assignment.trace).context("cannot read the marks")?;
        let opening = milestones.opening.zip(milestones.opened).map(|(from, to)| to - from);
        self.plan.learn(opening, &marks);
        std::fs::remove_file(&assignment.trace).ok();
        let planned =
            if let Kill::Point { point, hit, .. } = kill { Some((point.name(), hit)) } else { None };
        let at_point = planned.filter(|(name, _)| marks.killed_at().map(Point::name) == Some(*name));
        Ok(Killed {
            round,
            at_point,
            not_reached: planned.map(|(name, _)| name).filter(|_| at_point.is_none()),
            phases: marks.phases(),
            in_flight: self.callers.in_flight(),
        })
    }

    /// Runs a worker without a kill until everything is closed, and returns the file of all runs.
    pub(crate) async fn last_round(&mut self, round: u32) -> anyhow::Result<PathBuf> {
        let runs = self.dir().join("runs.jsonl");
        let assignment = self.assignment(round, None, Some(runs.clone())).await?;
        let (milestones, status) = self.watch(&assignment, None).await?;
        if !milestones.finished || !status.success() {
            bail!("the last worker did not finish: {status}; its log is {}", self.log().display());
        }
        Ok(runs)
    }

    async fn assignment(
        &mut self,
        round: u32,
        kill: Option<Kill>,
        runs: Option<PathBuf>,
    ) -> anyhow::Result<Assignment> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("no port for the ledger")?;
        let ledger = listener.local_addr()?;
        self.listener = Some(listener);
        let kill = match kill {
            Some(Kill::Point { point, hit, stall }) => Some(PointKill {
                point: point.name().to_owned(),
                hit,
                stall_micros: u64::try_from(stall.as_micros()).unwrap_or(0),
            }),
            Some(Kill::Opening { .. } | Kill::Ready { .. }) | None => None,
        };
        Ok(Assignment {
            round,
            seed: self.options.seed,
            store: self.dir().join("store"),
            trace: self.dir().join(format!("marks-{round}")),
            booking: self.booking,
            ledger,
            sabotage: self.options.sabotage,
            kill,
            in_flight: self.wanted(round),
            next: self.callers.next(),
            open: self.callers.open().map(open_case).collect(),
            runs,
        })
    }

    /// How many workflows a worker brings into flight. One that lives long begins new ones as others end; of those
    /// that do not, each is to begin some.
    fn wanted(&self, round: u32) -> usize {
        let more = if self.options.life_max.is_some() { round.saturating_mul(STARTS_PER_LIFE) } else { 0 };
        IN_FLIGHT + usize::try_from(more).unwrap_or(0)
    }

    /// Runs a worker to its end and takes in everything that it says, to us and to the ledger.
    async fn watch(
        &mut self,
        assignment: &Assignment,
        kill: Option<Kill>,
    ) -> anyhow::Result<(Milestones, ExitStatus)> {
        let path = self.dir().join("assignment.json");
        assignment.write(&path)?;
        let listener = self.listener.take().context("the ledger has no port")?;
        let ledger = tokio::spawn(outside::serve(listener, self.book.clone()));
        let mut worker = WorkerProcess::spawn(&path, &self.log())?;
        let (mut milestones, spawned) = (Milestones::default(), Instant::now());
        let mut is_killed = false;
        loop {
            let next = if is_killed { None } else { Some(next_step(kill, &milestones, spawned)) };
            tokio::select! {
                line = worker.next_line() => match line? {
                    Some(line) => self.take_in(assignment.round, &line, &mut milestones),
                    None => break,
                },
                is_due = wait_for(next) => {
                    worker.kill()?;
                    is_killed = true;
                    if !is_due {
                        bail!("the worker does not get on; its log is {}", self.log().display());
                    }
                }
            }
        }
        let status = worker.wait().await?;
        // Without a connection there is nothing to read: the worker did nothing before it had one.
        if milestones.opening.is_some() {
            ledger.await.context("the ledger stopped")??;
        } else {
            ledger.abort();
        }
        Ok((milestones, status))
    }

    fn take_in(&mut self, round: u32, line: &Line, milestones: &mut Milestones) {
        self.callers.note(round, line);
        match line {
            Line::Opening => milestones.opening = Some(Instant::now()),
            Line::Opened => milestones.opened = Some(Instant::now()),
            Line::Ready => milestones.ready = Some(Instant::now()),
            Line::Finished => milestones.finished = true,
            Line::Ended { number, .. } => {
                let id = self.callers.id(*number);
                self.book.lock().unwrap_or_else(PoisonError::into_inner).told_end(round, &id);
            }
            Line::Shown { number, keys } => {
                let id = self.callers.id(*number);
                let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
                keys.iter().for_each(|key| book.told_completed(round, &id, key));
            }
            Line::Trying { .. }
            | Line::Read { .. }
            | Line::Started { .. }
            | Line::Cancelled { .. }
            | Line::CancelRefused { .. }
            | Line::Missing { .. }
            | Line::Failed { .. } => {}
        }
    }
}

fn open_case(caller: &Caller) -> OpenCase {
    OpenCase {
        number: caller.case.number,
        is_started: caller.started.is_some(),
        is_cancel_settled: caller.cancel != Cancel::Unknown,
    }
}

/// What comes next for a worker that says nothing more.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// It is killed, as planned.
    Kill(Instant),
    /// It is too late.
    GiveUp(Instant),
}

fn next_step(kill: Option<Kill>, milestones: &Milestones, spawned: Instant) -> Step {
    let planned = match kill {
        None => return Step::GiveUp(spawned + FINISH_TIMEOUT),
        Some(Kill::Opening { after }) => milestones.opening.map(|opening| opening + after),
        Some(Kill::Ready { after }) => milestones.ready.map(|ready| ready + after),
        Some(Kill::Point { .. }) => milestones.ready.map(|ready| ready + POINT_TIMEOUT),
    };
    planned.map_or(Step::GiveUp(spawned + READY_TIMEOUT), Step::Kill)
}

/// Waits until then; says whether a kill is due.
async fn wait_for(step: Option<Step>) -> bool {
    match step {
        Some(Step::Kill(at)) => {
            sleep_until(at).await;
            true
        }
        Some(Step::GiveUp(at)) => {
            sleep_until(at).await;
            false
        }
        None => pending().await,
    }
}
