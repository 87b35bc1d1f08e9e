//! Every history is well formed, and the code as it is replays it.

use std::collections::BTreeMap;
use std::sync::Arc;

use steadfast_core::ActivityOptions;
use steadfast_core::exec::{Definition, Executor};
use steadfast_core::history::EventKind;
use steadfast_core::machine::{RunMachine, RunState};

use super::judge::Findings;
use super::stored::StoredRun;
use crate::crash::finding::Kind;
use crate::crash::worker::definitions;

pub(super) fn check<'a>(runs: impl Iterator<Item = &'a StoredRun>, findings: &mut Findings) {
    let definitions = definitions();
    for run in runs {
        if let Err(problem) = follow(run).and_then(|()| replay(run, &definitions)) {
            findings.add(Kind::Wrong, format!("{}: the history of run {}: {problem}", run.workflow, run.run));
        }
    }
}

fn follow(run: &StoredRun) -> Result<(), String> {
    let mut machine = RunMachine::new();
    for event in &run.history {
        machine.apply(event).map_err(|error| error.to_string())?;
    }
    match machine.state() {
        RunState::Closed if machine.open_tasks() == 0 => Ok(()),
        RunState::Closed => Err(format!("it is closed with {} tasks open", machine.open_tasks())),
        // That it is not closed is found elsewhere.
        RunState::Open => Ok(()),
        RunState::Empty => Err("it is empty".to_owned()),
    }
}

fn replay(run: &StoredRun, definitions: &BTreeMap<String, Arc<dyn Definition>>) -> Result<(), String> {
    let Some(EventKind::WorkflowStarted(started)) = run.history.first().map(|event| &event.kind) else {
        return Err("it does not begin with WorkflowStarted".to_owned());
    };
    let name = started.workflow_type.as_str();
    let definition = definitions.get(name).ok_or_else(|| format!("there is no workflow {name}"))?;
    let mut executor = Executor::new(Arc::clone(definition), ActivityOptions::default());
    executor.replay(&run.history).map_err(|error| error.to_string())
}
