//! A part of W6 in its own process.

use std::io::Read as _;

use steadfast::EngineConfig;
use steadfast::prelude::*;

use super::{reopen, start, wake};
use crate::options::{Stage, Task};
use crate::workflows::{QUEUE, sleeper};

/// Does its part, prints the result, and waits to be killed.
pub(crate) async fn child(task: &Task, stage: Stage) -> anyhow::Result<()> {
    let engine = match stage {
        Stage::Start => start::run(task).await?,
        Stage::Reopen => reopen::run(task).await?,
        Stage::Wake => wake::run(task).await?,
    };
    // Ends when the parent is gone.
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await?;
    drop(engine);
    ended?;
    Ok(())
}

pub(super) async fn open(task: &Task, config: EngineConfig) -> anyhow::Result<Engine> {
    let engine = Engine::open_with(task.place.url(), config).await?;
    engine.worker(QUEUE).workflow(sleeper).start().await?;
    Ok(engine)
}

/// The id of a run.
pub(super) fn id(number: u64) -> String {
    format!("sleeper-{number}")
}
