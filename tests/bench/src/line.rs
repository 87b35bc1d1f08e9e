//! One workflow at a time: W1, many of 100 activities, and W5, one of many activities.

use anyhow::ensure;
use steadfast::Engine;

use crate::meter::Meter;
use crate::options::{Task, Workload};
use crate::report::Line;
use crate::sample::{Samples, gaps, millis, tenths};
use crate::workflows::{LINE_ACTIVITIES, QUEUE, Stamps, line, sum_of};

/// Starts a workflow, waits for its result, and starts the next.
pub(crate) async fn run(task: &Task) -> anyhow::Result<()> {
    let (workflows, activities) =
        if task.workload == Workload::W5 { (1, task.n) } else { (task.n, LINE_ACTIVITIES) };
    task.place.check_empty()?;
    let engine = Engine::open(task.place.url()).await?;
    let stamps = Stamps::default();
    engine.worker(QUEUE).workflow(line).activities(stamps.clone()).start().await?;
    let client = engine.client();
    let meter = Meter::start(engine.store_stats())?;
    let mut between = Vec::new();
    let mut ends = None;
    for number in 0..workflows {
        let handle = client.start(line, activities).id(format!("line-{number}")).queue(QUEUE).await?;
        let sum = handle.result().await?;
        ensure!(sum == sum_of(activities), "{} has the wrong result: {sum}", handle.id());
        let moments = stamps.take();
        between.extend(gaps(&moments));
        ends = tenths(&moments);
    }
    let taken = meter.elapsed();
    let count = workflows * activities;
    let secs = taken.as_secs_f64();
    let samples: Samples = between.into_iter().collect();
    // One run tells how its activities get on; of many short ones it says nothing.
    let ends = ends.filter(|_| task.workload == Workload::W5);
    Line {
        workload: task.workload.name(),
        n: task.n,
        store: task.place.url().to_owned(),
        workflows_per_s: (workflows > 1).then(|| workflows as f64 / secs),
        activities_per_s: Some(count as f64 / secs),
        ms_per_activity: Some(millis(taken) / count as f64),
        first_tenth_ms: ends.map(|(first, _)| first),
        last_tenth_ms: ends.map(|(_, last)| last),
        p50_ms: samples.percentile(50),
        p99_ms: samples.percentile(99),
        ..meter.stop(&task.place, engine.store_stats())?
    }
    .print()?;
    engine.shutdown().await;
    Ok(())
}
