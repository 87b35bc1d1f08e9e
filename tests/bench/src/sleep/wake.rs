//! Looks whether all runs are there, then sets the clock: one wakes, the others sleep on.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use steadfast::prelude::*;
use steadfast::store::StoreStats;
use steadfast::{Client, EngineConfig, ListFilter, ManualClock, RunStatus};
use tokio::task::JoinSet;

use super::child::{id, open};
use super::start::EARLY_SECONDS;
use crate::meter::Meter;
use crate::options::{Stage, Task};
use crate::report::Line;
use crate::workflows::sleeper;

/// How many runs are asked at a time.
const ASKERS: u64 = 64;
const PAGE: usize = 1_000;

pub(super) async fn run(task: &Task) -> anyhow::Result<Engine> {
    let now = Timestamp::ZERO.after(SystemTime::now().duration_since(UNIX_EPOCH)?);
    let clock = Arc::new(ManualClock::new(now));
    let config = EngineConfig { clock: Some(Arc::clone(&clock) as _), ..EngineConfig::default() };
    let meter = Meter::start(StoreStats::default())?;
    let engine = open(task, config).await?;
    let client = engine.client();
    let asleep = ask_all(&client, task.n).await?;
    let listed = count(&client, RunStatus::Running).await?;
    ensure!(listed == task.n && asleep == task.n, "{listed} are listed, {asleep} sleep, of {}", task.n);

    clock.advance(Duration::from_secs(EARLY_SECONDS));
    let early = client.handle_of(sleeper, id(0));
    let slept = tokio::time::timeout(Duration::from_secs(60), early.result()).await;
    let slept = slept.context("the clock was set, and nobody woke")??;
    ensure!(slept == EARLY_SECONDS, "the one that woke slept for {slept} seconds");
    let woken = count(&client, RunStatus::Completed).await?;
    let listed = count(&client, RunStatus::Running).await?;
    ensure!(woken == 1 && listed == task.n - 1, "{woken} woke, {listed} sleep on");
    Line {
        workload: task.workload.name(),
        stage: Some(Stage::Wake.name()),
        n: task.n,
        store: task.place.url().to_owned(),
        asleep: Some(asleep),
        woken: Some(woken),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    Ok(engine)
}

/// How many runs answer that they sleep. The error is one that does not.
async fn ask_all(client: &Client, count: u64) -> anyhow::Result<u64> {
    let mut askers = JoinSet::new();
    for first in 0..ASKERS {
        let client = client.clone();
        askers.spawn(async move {
            let mut asleep = 0;
            let mut number = first;
            while number < count {
                let described = client.handle(id(number)).describe().await?;
                let sleeps = described.status == RunStatus::Running && described.timers.len() == 1;
                ensure!(sleeps, "{} does not sleep: {described:?}", id(number));
                asleep += 1;
                number += ASKERS;
            }
            Ok(asleep)
        });
    }
    let mut sum = 0;
    while let Some(asleep) = askers.join_next().await {
        sum += asleep??;
    }
    Ok(sum)
}

/// How many runs the list shows in a state.
async fn count(client: &Client, status: RunStatus) -> anyhow::Result<u64> {
    let filter = ListFilter { statuses: vec![status], ..ListFilter::default() };
    let (mut sum, mut after) = (0, None);
    loop {
        let page = client.list(filter.clone(), after, PAGE).await?;
        sum += page.rows.len() as u64;
        match page.next {
            None => return Ok(sum),
            next => after = next,
        }
    }
}
