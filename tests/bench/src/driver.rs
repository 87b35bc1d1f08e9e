//! What the embedded store's driver does: one durable commit after the other, each of what an activity writes at
//! least. Every engine that commits once an activity through this driver takes this long.

use std::fs::{self, File};
use std::time::Instant;

use anyhow::Context as _;
use steadfast::store::StoreStats;

use crate::meter::Meter;
use crate::options::Task;
use crate::report::Line;
use crate::sample::Samples;

/// As the store opens it.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// A new record of history.
const RECORD: [u8; 300] = [7; 300];
/// The head of the run, which is overwritten.
const HEAD: [u8; 120] = [8; 120];
/// The store's own count, which is overwritten.
const COUNT: [u8; 40] = [9; 40];

/// `n` commits.
pub(crate) fn run(task: &Task) -> anyhow::Result<()> {
    let dir = task.place.directory()?;
    task.place.check_empty()?;
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let config = sled::Config::new().path(dir).cache_capacity(CACHE_BYTES).flush_every_ms(None);
    let db = config.open().context("sled does not open")?;
    // What sled's own flush leaves to the system is made durable here, as the store does.
    let log = File::open(dir.join("db")).context("sled has no log")?;
    let meter = Meter::start(StoreStats::default())?;
    let mut times = Vec::new();
    for number in 0..task.n {
        let begun = Instant::now();
        let mut batch = sled::Batch::default();
        batch.insert([&b"history"[..], &number.to_be_bytes()].concat(), &RECORD[..]);
        batch.insert(&b"head"[..], &HEAD[..]);
        batch.insert(&b"count"[..], &COUNT[..]);
        db.apply_batch(batch).and_then(|()| db.flush()).context("sled does not write")?;
        log.sync_data().context("the log cannot be synced")?;
        times.push(begun.elapsed());
    }
    let secs = meter.elapsed().as_secs_f64();
    let stats = StoreStats { syncs: task.n, ..StoreStats::default() };
    let samples: Samples = times.into_iter().collect();
    Line {
        workload: task.workload.name(),
        n: task.n,
        store: task.place.url().to_owned(),
        records_per_s: Some(task.n as f64 / secs),
        p50_ms: samples.percentile(50),
        p99_ms: samples.percentile(99),
        ..meter.stop(&task.place, stats)?
    }
    .print()
}
