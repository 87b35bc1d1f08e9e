//! W2 by number: workflows of 5 activities, started as fast as they are taken, all awaited.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use steadfast::{Client, Engine};
use tokio::task::JoinSet;

use crate::meter::Meter;
use crate::options::Task;
use crate::report::Line;
use crate::sample::{Samples, millis};
use crate::workflows::{CROWD_ACTIVITIES, QUEUE, nothing, short, sum_of};

/// Opens an engine that serves what the crowd runs.
pub(crate) async fn open(task: &Task) -> anyhow::Result<Engine> {
    task.place.check_empty()?;
    let engine = Engine::open(task.place.url()).await?;
    engine.worker(QUEUE).workflow(short).activity(nothing).start().await?;
    Ok(engine)
}

/// `n` workflows.
pub(crate) async fn run(task: &Task) -> anyhow::Result<()> {
    let engine = open(task).await?;
    let meter = Meter::start(engine.store_stats())?;
    let samples = start_all(&engine.client(), task).await?;
    let taken = meter.elapsed();
    let (secs, count) = (taken.as_secs_f64(), task.n * CROWD_ACTIVITIES);
    Line {
        workload: task.workload.name(),
        n: task.n,
        store: task.place.url().to_owned(),
        workflows_per_s: Some(task.n as f64 / secs),
        activities_per_s: Some(count as f64 / secs),
        ms_per_activity: Some(millis(taken) / count as f64),
        p50_ms: samples.percentile(50),
        p99_ms: samples.percentile(99),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    engine.shutdown().await;
    Ok(())
}

/// How long each took from the call that started it to its result.
async fn start_all(client: &Client, task: &Task) -> anyhow::Result<Samples> {
    let next = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..task.concurrency.min(task.n) {
        callers.spawn(call(client.clone(), Arc::clone(&next), task.n));
    }
    let mut waiting = Vec::new();
    while let Some(called) = callers.join_next().await {
        waiting.push(called??);
    }
    let mut times = Vec::new();
    for mut results in waiting {
        while let Some(taken) = results.join_next().await {
            times.push(taken??);
        }
    }
    ensure!(times.len() as u64 == task.n, "{} of {} ended", times.len(), task.n);
    Ok(times.into_iter().collect())
}

/// Starts one after the other without waiting for what becomes of them.
async fn call(
    client: Client,
    next: Arc<AtomicU64>,
    count: u64,
) -> anyhow::Result<JoinSet<anyhow::Result<Duration>>> {
    let mut results = JoinSet::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(results);
        }
        let begun = Instant::now();
        let handle = client.start(short, ()).id(format!("short-{number}")).queue(QUEUE).await?;
        results.spawn(async move {
            let sum = handle.result().await?;
            ensure!(sum == sum_of(CROWD_ACTIVITIES), "{} has the wrong result: {sum}", handle.id());
            Ok(begun.elapsed())
        });
    }
}
