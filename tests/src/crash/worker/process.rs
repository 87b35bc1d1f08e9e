//! The worker from its start to its end, if it has one.

use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tour_booking::service::client::BookingClient;

use super::audit::write_runs;
use super::caller::Callers;
use super::engine::open;
use super::hook::Hook;
use super::watcher::watch;
use super::world::{World, set_world};
use crate::crash::assignment::Assignment;
use crate::crash::line::Line;
use crate::crash::outside::LedgerClient;
use crate::crash::phase::Trace;

/// How long the last worker waits for everything to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(120);

/// Works until it is killed; the last worker until everything is closed.
pub(crate) async fn run(assignment: &Path) -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let assignment = Assignment::read(assignment)?;
    // As long as the process: bodies and fail points mark it from any thread.
    let trace: &'static Trace = Box::leak(Box::new(Trace::create(&assignment.trace)?));
    let ledger = LedgerClient::connect(assignment.ledger, assignment.round).await.context("no ledger")?;
    let parent = ledger.clone();
    let hook = Arc::new(Hook::new(trace, &assignment));
    let booking = BookingClient::new(assignment.booking)?;
    set_world(World { ledger, booking, trace, hook: Arc::clone(&hook) });
    tokio::select! {
        ended = work(&assignment, trace, &hook) => ended,
        () = parent.closed() => bail!("the parent is gone"),
    }
}

async fn work(assignment: &Assignment, trace: &'static Trace, hook: &Arc<Hook>) -> anyhow::Result<()> {
    Line::Opening.say();
    let engine = {
        let _opening = trace.opening();
        open(assignment, hook).await?
    };
    Line::Opened.say();
    let callers = Arc::new(Callers::new(engine.client(), Arc::clone(hook), assignment));
    let mut slots = serve_all(&callers, assignment).await;
    let watcher = tokio::spawn(watch(Arc::clone(&callers), assignment.seed, assignment.round));
    let Some(runs) = &assignment.runs else { return pending().await };
    let all_ended = async {
        while let Some(ended) = slots.join_next().await {
            ended.context("a caller stopped")?;
        }
        anyhow::Ok(())
    };
    // What is open after that is judged as it stands.
    timeout(CLOSE_TIMEOUT, all_ended).await.unwrap_or(Ok(()))?;
    watcher.abort();
    write_runs(&engine.client(), runs).await?;
    engine.shutdown().await;
    Line::Finished.say();
    Ok(())
}

/// One task for each workflow that is to be in flight. Returns when all of them are.
async fn serve_all(callers: &Arc<Callers>, assignment: &Assignment) -> JoinSet<()> {
    let mut slots = JoinSet::new();
    let mut open = assignment.open.clone();
    if assignment.runs.is_none() {
        open.resize_with(open.len().max(assignment.in_flight), || callers.new_case());
    }
    let (in_flight, mut started) = (open.len(), callers.started());
    for case in open {
        slots.spawn(Arc::clone(callers).serve(case));
    }
    // The sender lives in `callers`.
    drop(started.wait_for(|count| *count >= in_flight).await);
    Line::Ready.say();
    slots
}
