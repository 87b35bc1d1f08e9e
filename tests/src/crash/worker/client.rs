//! What callers ask of the engine, and how they read its answers.

use std::error::Error;

use steadfast::history::{Event, EventKind};
use steadfast::prelude::*;
use steadfast::{EndError, ListFilter, ListPosition, ReadError, RunError, StartError};

use super::engine::QUEUE;
use super::workflows::{beating, fan, flaky, nap, note, sequence, tour};
use crate::crash::case::{Case, Shape};
use crate::crash::check::StoredRun;
use crate::crash::line::{Outcome, Report};

/// The answer to a wait for a result.
#[derive(Debug)]
pub(super) enum EndAnswer {
    Ended(Outcome),
    Missing(String),
    Failed(String),
}

/// The answer to a cancel.
#[derive(Debug)]
pub(super) enum CancelAnswer {
    Accepted,
    /// The run was closed before.
    Closed,
    Missing(String),
    Failed(String),
}

/// The answer to a look at a history.
#[derive(Debug)]
pub(super) enum HistoryAnswer {
    Shown(Vec<Event>),
    Missing(String),
    Failed(String),
}

/// How many runs a page of the list has.
const PAGE: usize = 200;

/// Starts a case, or finds it: all starts of one case are one request. Gives the run's id.
pub(super) async fn start(client: &Client, case: &Case) -> Result<String, String> {
    macro_rules! started {
        ($workflow:ident) => {{
            let call = client.start($workflow, case.order.clone()).id(case.id()).queue(QUEUE);
            call.request_id(format!("start-{}", case.number)).await.map(|handle| handle.run_id())
        }};
    }
    let run: Result<_, StartError> = match case.shape {
        Shape::Sequence => started!(sequence),
        Shape::Tour => started!(tour),
        Shape::Nap => started!(nap),
        Shape::Flaky => started!(flaky),
        Shape::Beat => started!(beating),
        Shape::Fan => started!(fan),
        Shape::Note => started!(note),
    };
    match run {
        Ok(Some(run)) => Ok(run.to_string()),
        Ok(None) => Err("the start gave no run id".to_owned()),
        Err(error) => Err(format!("start: {}", chain(&error))),
    }
}

/// Waits for the end of a case.
pub(super) async fn result(client: &Client, case: &Case) -> EndAnswer {
    macro_rules! ended {
        ($workflow:ident) => {
            client.handle_of($workflow, case.id()).result().await
        };
    }
    let result: Result<Report, RunError> = match case.shape {
        Shape::Sequence => ended!(sequence),
        Shape::Tour => ended!(tour),
        Shape::Nap => ended!(nap),
        Shape::Flaky => ended!(flaky),
        Shape::Beat => ended!(beating),
        Shape::Fan => ended!(fan),
        Shape::Note => ended!(note),
    };
    match result {
        Ok(report) => EndAnswer::Ended(Outcome::Completed(report)),
        Err(RunError::Cancelled { .. }) => EndAnswer::Ended(Outcome::Cancelled),
        Err(RunError::Failed { error, .. }) => EndAnswer::Ended(Outcome::Failed(error.to_string())),
        Err(RunError::Read(error @ ReadError::NotFound(_))) => EndAnswer::Missing(format!("result: {error}")),
        Err(error) => EndAnswer::Failed(format!("result: {}", chain(&error))),
    }
}

/// Cancels a case. All cancels of one case are one request.
pub(super) async fn cancel(client: &Client, case: &Case) -> CancelAnswer {
    let call = client.handle(case.id()).cancel().reason("the caller changed its mind");
    match call.request_id(format!("cancel-{}", case.number)).await {
        Ok(()) => CancelAnswer::Accepted,
        Err(EndError::Closed { .. }) => CancelAnswer::Closed,
        Err(error @ EndError::NotFound(_)) => CancelAnswer::Missing(format!("cancel: {error}")),
        Err(error) => CancelAnswer::Failed(format!("cancel: {}", chain(&error))),
    }
}

/// Looks at the history of a case.
pub(super) async fn history(client: &Client, case: &Case) -> HistoryAnswer {
    match client.handle(case.id()).history().await {
        Ok(events) => HistoryAnswer::Shown(events),
        Err(error @ ReadError::NotFound(_)) => HistoryAnswer::Missing(format!("history: {error}")),
        Err(error) => HistoryAnswer::Failed(format!("history: {}", chain(&error))),
    }
}

/// One page of all runs, newest first, with their histories, and where the next page begins.
pub(super) async fn page(
    client: &Client,
    after: Option<ListPosition>,
) -> anyhow::Result<(Vec<StoredRun>, Option<ListPosition>)> {
    let page = client.list(ListFilter::default(), after, PAGE).await?;
    let mut runs = Vec::with_capacity(page.rows.len());
    for row in page.rows {
        let history = client.handle(row.workflow_id.as_str()).history().await?;
        // The handle shows the newest run of a workflow: another one is seen by its first event.
        let run = match history.first().map(|event| &event.kind) {
            Some(EventKind::WorkflowStarted(started)) if started.run_id == row.run_id => {
                row.run_id.to_string()
            }
            _ => format!("{} (not the newest)", row.run_id),
        };
        runs.push(StoredRun {
            workflow: row.workflow_id.to_string(),
            run,
            status: format!("{:?}", row.status),
            history,
        });
    }
    Ok((runs, page.next))
}

/// An error with all its causes.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
