//! Runs on a crew: waiting for them, looking at them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use steadfast::history::Event;
use steadfast::{EngineClock as _, ReadError, Unavailable, WorkflowFn};

use super::engines::Crew;
use crate::kit::closed::{self, Site};
use crate::kit::eventually::eventually;

impl Crew {
    /// Waits until an engine answers for a run: it may own the run's shard and not have taken it up yet.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub async fn until_answered(&self, name: &str, id: &str) -> anyhow::Result<()> {
        let run = self.client(name).handle(id);
        eventually("the engine answers for the run", async || match run.describe().await {
            Err(ReadError::Unavailable(Unavailable::NotOwner(_))) => Ok(false),
            described => Ok(described.map(|_| true)?),
        })
        .await
    }

    /// Waits until an engine owns the shard of a workflow and says that there is no run of it.
    ///
    /// # Errors
    ///
    /// If there is one.
    pub async fn until_missing(&self, name: &str, id: &str) -> anyhow::Result<()> {
        let run = self.client(name).handle(id);
        eventually("the engine looks for the run", async || match run.describe().await {
            Err(ReadError::Unavailable(Unavailable::NotOwner(_))) => Ok(false),
            Err(ReadError::NotFound(_)) => Ok(true),
            described => anyhow::bail!("{described:?}"),
        })
        .await
    }

    /// Lets time pass whenever nothing but time can move a run on, until it is closed.
    ///
    /// # Errors
    ///
    /// If it does not close, or is blocked.
    pub async fn run_on(&mut self, owner: &str, id: &str) -> anyhow::Result<()> {
        self.until_answered(owner, id).await?;
        let run = self.client(owner).handle(id);
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
                let wait = at.since(self.member(owner).clock.now());
                self.pass(wait).await?;
            }
            Ok(!run.status.is_open())
        })
        .await
    }

    /// Waits until an activity waits for its next attempt, and lets that time pass.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn skip_backoff(&mut self, owner: &str, id: &str, activity: &str) -> anyhow::Result<()> {
        self.until_answered(owner, id).await?;
        let run = self.client(owner).handle(id);
        let next = async || {
            let activities = run.describe().await?.activities;
            anyhow::Ok(
                activities.iter().filter(|open| open.name == activity).find_map(|open| open.next_attempt_at),
            )
        };
        let what = format!("{activity} waits for its next attempt");
        eventually(&what, async || Ok(next().await?.is_some())).await?;
        let wait = next().await?.map_or(Duration::ZERO, |at| at.since(self.member(owner).clock.now()));
        self.pass(wait).await
    }

    /// What [`Bed::check_closed`](crate::kit::Bed::check_closed) checks, with an engine that owns the run.
    ///
    /// # Errors
    ///
    /// What does not hold.
    pub async fn check_closed<M, F: WorkflowFn<M>>(
        &self,
        owner: &str,
        workflow: F,
        id: &str,
    ) -> anyhow::Result<Vec<Event>> {
        let events = self.client(owner).handle(id).history().await.context("its history")?;
        let definition = steadfast::__private::definition(workflow);
        let engines = self.members.values().map(|member| &member.engine).collect();
        let site = Site { ledger: self.ledger(), engines, store: Arc::clone(&self.store) };
        closed::check(&site, definition, &events).await?;
        Ok(events)
    }
}
