//! The story, from the first process to the verdict.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::child::WorkerProcess;
use super::console::Console;
use super::outcome::{Kill, Outcomes};
use super::place::Place;
use super::show;
use crate::options::{DemoOptions, WorkerOptions};
use crate::plan::{Plan, PlannedTour};
use crate::report::{Ended, Found, Report, Tone};
use crate::service::books::judge;
use crate::service::client::BookingClient;
use crate::service::process::ServiceProcess;
use crate::service::{Action, Books, Options as ServiceOptions, Step};

/// The signal that no process can catch.
const SIGKILL: i32 = 9;

/// Shows everything. The folders stay if something is wrong.
pub(super) async fn run(options: DemoOptions, console: &Console) -> anyhow::Result<()> {
    if options.store.as_deref().is_some_and(|store| store.starts_with("memory:")) && !options.no_kill {
        bail!("a store in memory is gone with its process; add --no-kill, or name a folder");
    }
    let place = Place::new(options.store.clone())?;
    let end = Demo::new(options, &place, console)?.run().await;
    match end {
        Ok(()) => place.remove(),
        Err(error) => {
            console.line("demo", &format!("left to be looked at: {}", place.keep().display()))?;
            Err(error)
        }
    }
}

/// One demonstration.
struct Demo<'a> {
    console: &'a Console,
    program: PathBuf,
    options: DemoOptions,
    plan: Plan,
    store: String,
    ledger: PathBuf,
    label: String,
    outcomes: Outcomes,
    kill: Option<Kill>,
}

/// How a worker process ended.
enum WorkerEnd {
    Killed,
    Finished,
}

impl<'a> Demo<'a> {
    fn new(options: DemoOptions, place: &Place, console: &'a Console) -> anyhow::Result<Self> {
        let label = place.label();
        Ok(Self {
            console,
            program: std::env::current_exe().context("this program can't be found")?,
            plan: Plan::new(options.tours, options.fail, &label),
            options,
            store: place.store()?,
            ledger: place.ledger(),
            label,
            outcomes: Outcomes::default(),
            kill: None,
        })
    }

    async fn run(&mut self) -> anyhow::Result<()> {
        self.say("store", &self.store)?;
        let service = self.start_service().await?;
        let mut number = 1;
        while let WorkerEnd::Killed = self.run_worker(number, &service).await? {
            number += 1;
        }
        if !self.outcomes.all_ended(&self.plan) {
            bail!("the worker finished, but not every tour has ended");
        }
        self.judge(&service).await?;
        service.kill().await
    }

    async fn start_service(&self) -> anyhow::Result<ServiceProcess> {
        let lose_reply = self.options.lose_reply.clone();
        let options = ServiceOptions { lose_reply, ..ServiceOptions::new(&self.ledger) };
        let service = ServiceProcess::spawn(&self.program, &options).await?;
        self.say("service", &format!("pid {}, listens on {}", service.pid(), service.address()))?;
        for step in &self.options.lose_reply {
            self.say(
                "service",
                &format!("will act on the first call of each {step}, then drop the connection"),
            )?;
        }
        Ok(service)
    }

    /// Runs one worker process to its end.
    async fn run_worker(&mut self, number: u32, service: &ServiceProcess) -> anyhow::Result<WorkerEnd> {
        let kill_after = (self.kill.is_none() && !self.options.no_kill).then_some(self.options.kill_after);
        let mut worker = WorkerProcess::spawn(&self.program, &self.worker_options(service, kill_after))?;
        let who = format!("worker {number}");
        let fate = kill_after.map_or(String::new(), |commit| format!(", to be killed after commit {commit}"));
        self.say(&who, &format!("pid {}{fate}", worker.pid()))?;
        loop {
            match worker.next().await.with_context(|| who.clone())? {
                Report::Opened { found } => self.opened(&who, found)?,
                Report::Started { tour } => self.started(&who, &tour)?,
                Report::Ended(ended) => self.ended(&who, &ended)?,
                Report::Reached { commit } => {
                    self.kill(&who, worker, commit).await?;
                    return Ok(WorkerEnd::Killed);
                }
                Report::Finished { commits } => {
                    worker.end().await.with_context(|| who.clone())?;
                    self.finished(&who, commits, kill_after)?;
                    return Ok(WorkerEnd::Finished);
                }
            }
        }
    }

    fn worker_options(&self, service: &ServiceProcess, kill_after: Option<u64>) -> WorkerOptions {
        WorkerOptions {
            store: self.store.clone(),
            service: service.address(),
            tours: self.options.tours,
            fail: self.options.fail,
            label: self.label.clone(),
            kill_after,
        }
    }

    fn opened(&mut self, who: &str, found: Vec<Found>) -> io::Result<()> {
        for Found { tour, events } in &found {
            self.say(who, &format!("finds {tour} in the store, {events} events"))?;
        }
        self.outcomes.found(found);
        Ok(())
    }

    fn started(&self, who: &str, tour: &str) -> io::Result<()> {
        if self.outcomes.has_ended(tour) {
            return Ok(());
        }
        if self.outcomes.events_found(tour) > 0 {
            return self.say(who, &format!("{tour} is asked for again: it goes on"));
        }
        let what = self.plan.tours.iter().find(|planned| planned.id == tour).map(PlannedTour::to_string);
        self.say(who, &format!("{tour} is asked for: {}", what.unwrap_or_default()))
    }

    fn ended(&mut self, who: &str, ended: &Ended) -> anyhow::Result<()> {
        if !self.outcomes.ended(ended, &self.plan)? {
            return Ok(());
        }
        let (tone, text) = show::outcome(&ended.outcome);
        self.console.toned(who, &format!("{} {text}", ended.tour), tone)?;
        show::timeline(self.console, ended, self.kill, self.outcomes.events_found(&ended.tour))?;
        Ok(())
    }

    /// The worker stands still at its commit: what happens now is the same every time.
    async fn kill(&mut self, who: &str, worker: WorkerProcess, commit: u64) -> anyhow::Result<()> {
        let pid = worker.pid();
        let text = format!("commit {commit} is on disk, nobody has been told: SIGKILL to pid {pid}");
        self.console.toned(who, &text, Tone::Bad)?;
        let status = worker.kill().await?;
        if status.signal() != Some(SIGKILL) {
            bail!("{who} should have been killed, but ended with {status}");
        }
        self.kill = Some(Kill { commit, pid });
        Ok(())
    }

    fn finished(&self, who: &str, commits: u64, kill_after: Option<u64>) -> io::Result<()> {
        self.say(who, &format!("done after {commits} commits"))?;
        match kill_after {
            Some(never) => self.say(who, &format!("commit {never} never came, so it was not killed")),
            None => Ok(()),
        }
    }

    async fn judge(&self, service: &ServiceProcess) -> anyhow::Result<()> {
        let books = BookingClient::new(service.address())?.books().await?;
        show::books(self.console, &books)?;
        for step in self.options.lose_reply.iter().filter(|step| !was_called(&books, **step)) {
            let text = format!("nobody called {step}, so no reply to it was lost{}", hint(*step));
            self.say("note", &text)?;
        }
        match judge(&books, &self.plan.expected()) {
            Ok(summary) => Ok(self.console.toned("balanced", &summary.to_string(), Tone::Good)?),
            Err(complaints) => bail!("the books do not balance: {}", complaints.join("; ")),
        }
    }

    fn say(&self, who: &str, text: &str) -> io::Result<()> {
        self.console.line(who, text)
    }
}

fn was_called(books: &Books, step: Step) -> bool {
    books.bookings.iter().any(|booking| {
        (booking.book_calls > 0 && Step::of(booking.kind, Action::Book) == step)
            || (booking.cancel_calls > 0 && Step::of(booking.kind, Action::Cancel) == step)
    })
}

/// What has to fail for the step to be needed.
fn hint(step: Step) -> &'static str {
    match step {
        Step::CancelCard => "; --fail after-card makes a tour that needs it",
        Step::CancelFlight => "; --fail card makes a tour that needs it",
        Step::CancelHotel => "; --fail flight makes a tour that needs it",
        Step::Hotel | Step::Flight | Step::Card => "",
    }
}
