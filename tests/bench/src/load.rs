//! W2 by time: the load is kept up, and what the process occupies is looked at as it goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::ensure;
use steadfast::Client;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::crowd;
use crate::meter::{Meter, memory};
use crate::options::Task;
use crate::report::Line;
use crate::sample::{mean, millis, slope};
use crate::workflows::{CROWD_ACTIVITIES, QUEUE, short, sum_of};

const SAMPLE_EVERY: Duration = Duration::from_secs(1);
/// One in so many samples is printed.
const PRINT_EVERY: usize = 10;
const MINUTE: f64 = 60.0;

/// The work that callers share.
#[derive(Debug, Default)]
struct Progress {
    begun: AtomicU64,
    ended: AtomicU64,
    is_over: AtomicBool,
}

/// `concurrency` callers for `secs` seconds, each with one workflow at a time.
pub(crate) async fn run(task: &Task) -> anyhow::Result<()> {
    let length = task.secs.unwrap_or_default();
    let engine = crowd::open(task).await?;
    let progress = Arc::new(Progress::default());
    let mut callers = JoinSet::new();
    let meter = Meter::start(engine.store_stats())?;
    for _ in 0..task.concurrency {
        callers.spawn(keep_calling(engine.client(), Arc::clone(&progress)));
    }
    let samples = watch(task, &meter, &progress, &mut callers, length).await?;
    progress.is_over.store(true, Ordering::Release);
    while let Some(called) = callers.join_next().await {
        called??;
    }
    let taken = meter.elapsed();
    let (secs, ended) = (taken.as_secs_f64(), progress.ended.load(Ordering::Acquire));
    let end = length.as_secs_f64();
    let within = |from: f64, to: f64| {
        mean(samples.iter().filter(|(at, _)| *at > from && *at <= to).map(|(_, mib)| *mib))
    };
    let later: Vec<(f64, f64)> =
        samples.iter().filter(|(at, _)| *at > MINUTE).map(|(at, mib)| (at / MINUTE, *mib)).collect();
    Line {
        workload: task.workload.name(),
        stage: Some("total"),
        n: ended,
        store: task.place.url().to_owned(),
        workflows_per_s: Some(ended as f64 / secs),
        activities_per_s: Some((ended * CROWD_ACTIVITIES) as f64 / secs),
        ms_per_activity: Some(millis(taken) / (ended * CROWD_ACTIVITIES).max(1) as f64),
        rss_first_minute_mib: within(0.0, MINUTE),
        rss_last_minute_mib: within(end - MINUTE, f64::INFINITY),
        rss_mib_per_minute: slope(&later),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    engine.shutdown().await;
    Ok(())
}

/// Seconds and mebibytes, until the time is over or a caller stops.
async fn watch(
    task: &Task,
    meter: &Meter,
    progress: &Progress,
    callers: &mut JoinSet<anyhow::Result<()>>,
    length: Duration,
) -> anyhow::Result<Vec<(f64, f64)>> {
    let mut ticks = interval(SAMPLE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut samples, mut before) = (Vec::new(), (0.0, 0));
    while meter.elapsed() < length {
        tokio::select! {
            _ = ticks.tick() => {}
            Some(stopped) = callers.join_next() => stopped??,
        }
        let (at, mib) = (meter.elapsed().as_secs_f64(), memory()?.now_mib());
        samples.push((at, mib));
        if samples.len() % PRINT_EVERY == 0 {
            let ended = progress.ended.load(Ordering::Acquire);
            let rate = (ended - before.1) as f64 / (at - before.0);
            before = (at, ended);
            Line {
                workload: task.workload.name(),
                stage: Some("sample"),
                n: ended,
                store: task.place.url().to_owned(),
                secs: Some(at),
                workflows_per_s: Some(rate),
                rss_now_mib: Some(mib),
                disk_bytes: task.place.disk_bytes()?,
                ..Line::default()
            }
            .print()?;
        }
    }
    Ok(samples)
}

async fn keep_calling(client: Client, progress: Arc<Progress>) -> anyhow::Result<()> {
    while !progress.is_over.load(Ordering::Acquire) {
        let number = progress.begun.fetch_add(1, Ordering::Relaxed);
        let handle = client.start(short, ()).id(format!("short-{number}")).queue(QUEUE).await?;
        let sum = handle.result().await?;
        ensure!(sum == sum_of(CROWD_ACTIVITIES), "{} has the wrong result: {sum}", handle.id());
        progress.ended.fetch_add(1, Ordering::Release);
    }
    Ok(())
}
