//! Starts the workflows, as fast as they are taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use steadfast::prelude::*;
use steadfast::{Client, EngineConfig};
use tokio::task::JoinSet;

use super::child::{id, open};
use crate::meter::Meter;
use crate::options::{Stage, Task};
use crate::report::Line;
use crate::workflows::{QUEUE, sleeper};

const SLEEP_SECONDS: u64 = 3_600;
/// The first one sleeps for less: it is the one that wakes.
pub(super) const EARLY_SECONDS: u64 = 1_800;

pub(super) async fn run(task: &Task) -> anyhow::Result<Engine> {
    let engine = open(task, EngineConfig::default()).await?;
    let meter = Meter::start(engine.store_stats())?;
    let next = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..task.concurrency.min(task.n) {
        callers.spawn(call(engine.client(), Arc::clone(&next), task.n));
    }
    while let Some(called) = callers.join_next().await {
        called??;
    }
    let secs = meter.elapsed().as_secs_f64();
    Line {
        workload: task.workload.name(),
        stage: Some(Stage::Start.name()),
        n: task.n,
        store: task.place.url().to_owned(),
        workflows_per_s: Some(task.n as f64 / secs),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    Ok(engine)
}

async fn call(client: Client, next: Arc<AtomicU64>, count: u64) -> anyhow::Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(());
        }
        let seconds = if number == 0 { EARLY_SECONDS } else { SLEEP_SECONDS };
        client.start(sleeper, seconds).id(id(number)).queue(QUEUE).await?;
    }
}
