//! Runs as the last worker read them from the store: one JSON line each.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use steadfast_core::history::{Event, EventKind, Role, from_json, to_json};

use crate::crash::line::{Outcome, Report};

/// One run of the store.
#[derive(Debug)]
pub(crate) struct StoredRun {
    pub(crate) workflow: String,
    pub(crate) run: String,
    /// The state that the list shows.
    pub(crate) status: String,
    pub(crate) history: Vec<Event>,
}

#[derive(Serialize, Deserialize)]
struct StoredLine {
    workflow: String,
    run: String,
    status: String,
    /// The exported history.
    history: String,
}

/// Writes a run for [`read_runs`].
pub(crate) fn write_run(out: &mut impl Write, run: StoredRun) -> anyhow::Result<()> {
    let StoredRun { workflow, run, status, history } = run;
    let line = StoredLine { workflow, run, status, history: to_json(&history)? };
    serde_json::to_writer(&mut *out, &line)?;
    Ok(out.write_all(b"\n")?)
}

/// All runs, by workflow.
pub(crate) fn read_runs(path: &Path) -> anyhow::Result<BTreeMap<String, Vec<StoredRun>>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut runs = BTreeMap::<String, Vec<StoredRun>>::new();
    for line in BufReader::new(file).lines() {
        let StoredLine { workflow, run, status, history } = serde_json::from_str(&line?)?;
        let history = from_json(&history).with_context(|| format!("the history of {workflow}"))?;
        let stored = StoredRun { workflow: workflow.clone(), run, status, history };
        runs.entry(workflow).or_default().push(stored);
    }
    Ok(runs)
}

impl StoredRun {
    /// How it ended, as its closing event tells; `None` if it is open.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let last = self.history.last().filter(|event| event.kind.role() == Role::Close)?;
        Some(if let EventKind::WorkflowCompleted(e) = &last.kind {
            match e.output.decode::<Report>() {
                Ok(report) => Outcome::Completed(report),
                Err(error) => Outcome::Failed(format!("the result cannot be read: {error}")),
            }
        } else if let EventKind::WorkflowCancelled(_) = &last.kind {
            Outcome::Cancelled
        } else if let EventKind::WorkflowFailed(e) = &last.kind {
            Outcome::Failed(failure_text(&e.error))
        } else {
            Outcome::Failed(last.kind.name().to_owned())
        })
    }

    /// Whether a caller's cancel is in the history.
    pub(crate) fn has_cancel(&self) -> bool {
        self.history.iter().any(|event| matches!(event.kind, EventKind::CancelRequested(_)))
    }
}

/// What a caller is told of a failure: the text that both sides are compared by.
fn failure_text(error: &steadfast_core::WorkflowError) -> String {
    steadfast::WorkflowError::from(error.clone()).to_string()
}
