//! Runs on a bed: starting them, waiting for them, looking at them.

use std::time::Duration;

use anyhow::Context as _;
use steadfast::history::Event;
use steadfast::{RunDescription, RunHandle, Timestamp, Workflow, WorkflowFn, WorkflowHandle};

use super::engine::{Bed, QUEUE};
use crate::kit::closed::{self, Site};
use crate::kit::eventually::eventually;

impl Bed {
    /// Starts a run. Called again with the same id, after a kill say, it finds the run that it started.
    ///
    /// # Errors
    ///
    /// If the run is refused, or the engine is cut off meanwhile.
    pub async fn start<M, F: WorkflowFn<M>>(
        &self,
        workflow: F,
        id: &str,
        input: <F::Workflow as Workflow>::Input,
    ) -> anyhow::Result<WorkflowHandle<F::Workflow>> {
        let start =
            self.client().start(workflow, input).id(id).queue(QUEUE).request_id(format!("start {id}"));
        tokio::select! {
            // What was acknowledged before the end counts.
            biased;
            started = start.into_future() => Ok(started?),
            () = self.gate().life().end_of() => anyhow::bail!("the engine was cut off while `{id}` was started"),
        }
    }

    /// The newest run of a workflow, through the present engine.
    #[must_use]
    pub fn handle<M, F: WorkflowFn<M>>(&self, workflow: F, id: &str) -> WorkflowHandle<F::Workflow> {
        self.client().handle_of(workflow, id)
    }

    /// The events of the newest run of a workflow.
    ///
    /// # Errors
    ///
    /// If there is no such run.
    pub async fn history(&self, id: &str) -> anyhow::Result<Vec<Event>> {
        Ok(self.client().handle(id).history().await?)
    }

    /// Waits until a run looks like something.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_described(
        &self,
        id: &str,
        what: &str,
        is_so: impl Fn(&RunDescription) -> bool,
    ) -> anyhow::Result<()> {
        let run = self.client().handle(id);
        eventually(what, async || Ok(is_so(&run.describe().await?))).await
    }

    /// Waits until an activity waits for its next attempt, and moves the clock on to it.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn skip_backoff(&self, id: &str, activity: &str) -> anyhow::Result<Duration> {
        let next = |run: &RunDescription| {
            let mut open = run.activities.iter().filter(|open| open.name == activity);
            open.find_map(|open| open.next_attempt_at)
        };
        let what = format!("{activity} waits for its next attempt");
        self.until_described(id, &what, |run| next(run).is_some()).await?;
        let at = next(&self.client().handle(id).describe().await?);
        Ok(self.skip_to(at.unwrap_or(self.now())))
    }

    /// Waits until a timer runs, and moves the clock on to its end.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn skip_timer(&self, id: &str) -> anyhow::Result<Duration> {
        self.until_described(id, "a timer runs", |run| !run.timers.is_empty()).await?;
        let run: RunHandle = self.client().handle(id);
        let due = run.describe().await?.timers.first().map(|timer| timer.due);
        Ok(self.skip_to(due.unwrap_or(self.now())))
    }

    fn skip_to(&self, at: Timestamp) -> Duration {
        let by = at.since(self.now());
        self.advance(by);
        by
    }

    /// Moves the clock on whenever nothing but time can move a run on, until it is closed.
    ///
    /// # Errors
    ///
    /// If it does not close, or is blocked.
    pub async fn run_on(&self, id: &str) -> anyhow::Result<()> {
        let run = self.client().handle(id);
        eventually("the run is closed", async || {
            let run = run.describe().await?;
            if let Some(reason) = run.blocked {
                anyhow::bail!("`{id}` is blocked: {reason}");
            }
            let waits = run.activities.iter().map(|open| open.next_attempt_at);
            let waits = waits.chain(run.timers.iter().map(|timer| Some(timer.due)));
            // Something that waits for no point in time goes on by itself.
            let next = waits.collect::<Option<Vec<_>>>().and_then(|waits| waits.into_iter().min());
            if let Some(at) = next {
                self.advance_to(at);
            }
            Ok(!run.status.is_open())
        })
        .await
    }

    /// [`run_on`](Bed::run_on) until the gate cuts the engine off.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn run_until_cut(&self, id: &str) -> anyhow::Result<()> {
        tokio::select! {
            cut = self.gate().until_cut() => return cut,
            // An engine that is cut off may say anything.
            ran = self.run_on(id) => drop(ran),
        }
        self.gate().until_cut().await
    }

    /// Checks everything that holds of every closed run, and gives its events: their ids run on from 1, one closing
    /// event stands last, the function as it is replays them and each beginning of them without a call of the service,
    /// they are the same after they were written as JSON, and nothing of the run is left but its history.
    ///
    /// # Errors
    ///
    /// What does not hold.
    pub async fn check_closed<M, F: WorkflowFn<M>>(
        &self,
        workflow: F,
        id: &str,
    ) -> anyhow::Result<Vec<Event>> {
        let events = self.history(id).await?;
        let definition = steadfast::__private::definition(workflow);
        let store = self.gate().store().context("the store is closed")?;
        let site = Site { ledger: self.ledger(), engines: vec![self.engine()], store };
        closed::check(&site, definition, &events).await?;
        Ok(events)
    }
}
