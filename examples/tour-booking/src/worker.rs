//! The worker process: opens the store, asks for the tours, and works on them until all have ended.
//!
//! It may be killed at any moment and started again with the same options. A tour that is on disk goes on where it
//! was: every tour is asked for under a request id of its own, and a repeated request is one request.

use std::io;
use std::sync::Arc;

use anyhow::Context;
use steadfast::history::Compensation;
use steadfast::{Engine, EngineConfig, ReadError, RunError};
use tracing_subscriber::EnvFilter;

use crate::activities::Bookings;
use crate::commits::Commits;
use crate::options::WorkerOptions;
use crate::plan::{Plan, PlannedTour};
use crate::report::{Ended, Found, Outcome, Report, Unwound};
use crate::service::client::BookingClient;
use crate::timeline;
use crate::workflows::book_tour;

/// Works until all tours have ended, and tells about it on stdout.
///
/// # Errors
///
/// Fails when the store can't be opened or written, or when nobody reads what it tells.
pub async fn run(options: &WorkerOptions) -> anyhow::Result<()> {
    log_to_stderr();
    let plan = Plan::new(options.tours, options.fail, &options.label);
    let commits = Arc::new(Commits::until(options.kill_after));
    let engine = open(&options.store, Arc::clone(&commits)).await?;
    Report::Opened { found: found(&engine, &plan).await? }.print()?;

    let client = BookingClient::new(options.service)?;
    engine
        .worker(&plan.queue)
        .workflow(book_tour)
        .activities(Bookings::new(client))
        .start()
        .await
        .context("the worker does not start")?;
    for tour in &plan.tours {
        book(&engine, &plan.queue, tour).await.with_context(|| format!("tour {:?}", tour.id))?;
    }
    engine.shutdown().await;
    Report::Finished { commits: commits.made() }.print()?;
    Ok(())
}

/// What the library has to say, by default only what somebody should look at. Stdout is for reports.
fn log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
}

/// Opens the store with an engine that counts its commits.
async fn open(store: &str, commits: Arc<Commits>) -> anyhow::Result<Engine> {
    let config =
        EngineConfig { fail_points: Some(Arc::new(move |point| commits.at(point))), ..Default::default() };
    Ok(Engine::open_with(store, config).await?)
}

/// The tours that are in the store. No history grows before a worker is started.
async fn found(engine: &Engine, plan: &Plan) -> anyhow::Result<Vec<Found>> {
    let mut found = Vec::new();
    for PlannedTour { id, .. } in &plan.tours {
        match engine.client().handle(id).history().await {
            Ok(history) => found.push(Found { tour: id.clone(), events: history.len() as u64 }),
            Err(ReadError::NotFound(_)) => {}
            Err(error) => return Err(error).with_context(|| format!("the history of {id}")),
        }
    }
    Ok(found)
}

/// Asks for a tour, or finds it again, and waits for its end.
async fn book(engine: &Engine, queue: &str, tour: &PlannedTour) -> anyhow::Result<()> {
    let PlannedTour { id, request } = tour;
    let start = engine.client().start(book_tour, request.clone());
    let handle = start.id(id).queue(queue).request_id(id).await?;
    Report::Started { tour: id.clone() }.print()?;
    let outcome = match handle.result().await {
        Ok(tour) => Outcome::Completed(tour),
        Err(RunError::Failed { error, compensation }) => {
            Outcome::Failed { error: error.to_string(), steps: unwound(&compensation) }
        }
        Err(error) => return Err(error.into()),
    };
    let rows = timeline::rows(&handle.history().await?);
    Report::Ended(Ended { tour: id.clone(), outcome, rows }).print()?;
    Ok(())
}

fn unwound(compensation: &Compensation) -> Unwound {
    match compensation {
        Compensation::None => Unwound::Nothing,
        Compensation::Compensated => Unwound::All,
        Compensation::Failed(_) => Unwound::Not(timeline::compensation(compensation)),
    }
}
