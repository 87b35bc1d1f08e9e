//! Opens the store after a kill, until the engine answers for runs in all its shards.

use anyhow::ensure;
use steadfast::prelude::*;
use steadfast::store::StoreStats;
use steadfast::{EngineConfig, RunStatus};

use super::child::{id, open};
use crate::meter::Meter;
use crate::options::{Stage, Task};
use crate::report::Line;

/// So many runs that every shard has one of them, but for a chance of one in a million or so.
const ASKED: u64 = 1_000;

pub(super) async fn run(task: &Task) -> anyhow::Result<Engine> {
    let meter = Meter::start(StoreStats::default())?;
    let engine = open(task, EngineConfig::default()).await?;
    let client = engine.client();
    for number in 0..task.n.min(ASKED) {
        let described = client.handle(id(number)).describe().await?;
        ensure!(described.status == RunStatus::Running, "{} is {:?}", id(number), described.status);
    }
    Line {
        workload: task.workload.name(),
        stage: Some(Stage::Reopen.name()),
        n: task.n,
        store: task.place.url().to_owned(),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    Ok(engine)
}
