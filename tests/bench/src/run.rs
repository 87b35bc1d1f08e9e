//! From the command line to the workload.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::options::{Options, Task, Workload};
use crate::{crowd, line, load, raw, sleep};

/// The entry of the program.
#[must_use]
pub fn main() -> ExitCode {
    let task = Options::parse().checked().unwrap_or_else(|error| error.exit());
    match measure(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(task: &Task) -> anyhow::Result<()> {
    match task.workload {
        Workload::Raw => return raw::run(task),
        Workload::W1 | Workload::W2 | Workload::W5 | Workload::W6 => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match (task.workload, task.stage) {
            (Workload::W2, _) if task.secs.is_some() => load::run(task).await,
            (Workload::W2, _) => crowd::run(task).await,
            (Workload::W6, None) => sleep::parent(task),
            (Workload::W6, Some(stage)) => sleep::child(task, stage).await,
            _ => line::run(task).await,
        }
    })
}
