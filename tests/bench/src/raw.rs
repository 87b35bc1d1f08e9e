//! What the disk does: appends of 200 bytes, and a sync for so many of them.

use std::fs::{self, File};
use std::io::Write as _;
use std::time::Instant;

use anyhow::Context as _;
use steadfast::store::StoreStats;

use crate::meter::Meter;
use crate::options::Task;
use crate::report::Line;
use crate::sample::Samples;

const RECORD: [u8; 200] = [7; 200];
/// Records to a sync, and what that is called.
const SHARES: [(u64, &str); 3] = [(1, "1 a sync"), (64, "64 a sync"), (512, "512 a sync")];

/// `n` syncs of each kind.
pub(crate) fn run(task: &Task) -> anyhow::Result<()> {
    let dir = task.place.directory()?;
    task.place.check_empty()?;
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    for (share, stage) in SHARES {
        let path = dir.join(format!("raw-{share}"));
        let failed = || format!("cannot write {}", path.display());
        let mut file = File::create_new(&path).with_context(failed)?;
        let block = RECORD.repeat(usize::try_from(share)?);
        let meter = Meter::start(StoreStats::default())?;
        let mut times = Vec::new();
        for _ in 0..task.n {
            let begun = Instant::now();
            file.write_all(&block).and_then(|()| file.sync_data()).with_context(failed)?;
            times.push(begun.elapsed());
        }
        let secs = meter.elapsed().as_secs_f64();
        let stats = StoreStats { syncs: task.n, ..StoreStats::default() };
        let samples: Samples = times.into_iter().collect();
        Line {
            workload: task.workload.name(),
            stage: Some(stage),
            n: task.n,
            store: task.place.url().to_owned(),
            records_per_s: Some((task.n * share) as f64 / secs),
            p50_ms: samples.percentile(50),
            p99_ms: samples.percentile(99),
            ..meter.stop(&task.place, stats)?
        }
        .print()?;
        fs::remove_file(&path).with_context(failed)?;
    }
    Ok(())
}
