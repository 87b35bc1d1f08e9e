//! What the process has used.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};
use steadfast::store::StoreStats;

use crate::place::Place;
use crate::report::Line;

/// Reads the clocks and counters of the process at the start of a workload and at its end.
#[derive(Debug)]
pub(crate) struct Meter {
    begun: Instant,
    cpu: Duration,
    written: u64,
    stats: StoreStats,
}

impl Meter {
    /// `stats` is what the store had done by now.
    pub(crate) fn start(stats: StoreStats) -> anyhow::Result<Self> {
        Ok(Self { written: written_bytes()?, cpu: cpu(), stats, begun: Instant::now() })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The end: what was used since the start. What the process occupies at most is counted from its beginning.
    pub(crate) fn stop(&self, place: &Place, stats: StoreStats) -> anyhow::Result<Line> {
        let (secs, cpu) = (self.elapsed().as_secs_f64(), cpu().saturating_sub(self.cpu));
        let Memory { now_kib, peak_kib } = memory()?;
        Ok(Line {
            secs: Some(secs),
            cpu_s: Some(cpu.as_secs_f64()),
            rss_mib: Some(mib(peak_kib)),
            rss_now_mib: Some(mib(now_kib)),
            disk_bytes: place.disk_bytes()?,
            written_bytes: Some(written_bytes()?.saturating_sub(self.written)),
            syncs: Some(stats.since(&self.stats).syncs),
            ..Line::default()
        })
    }
}

/// What the process occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    now_kib: u64,
    peak_kib: u64,
}

impl Memory {
    pub(crate) fn now_mib(self) -> f64 {
        mib(self.now_kib)
    }
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

pub(crate) fn memory() -> anyhow::Result<Memory> {
    let status =
        fs::read_to_string("/proc/self/status").context("cannot read what memory the process has")?;
    let field = |name| number(&status, name).with_context(|| format!("no {name} in /proc/self/status"));
    Ok(Memory { now_kib: field("VmRSS:")?, peak_kib: field("VmHWM:")? })
}

/// The processor time of all threads of the process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Bytes that the process had the kernel write to a disk.
fn written_bytes() -> anyhow::Result<u64> {
    let io = fs::read_to_string("/proc/self/io").context("cannot read what the process wrote")?;
    number(&io, "write_bytes:").context("no write_bytes in /proc/self/io")
}

/// The number behind a name at the beginning of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use rustix::fs::statfs;

    use super::*;

    /// What Linux calls a file system in memory: nothing is written to a disk there.
    const TMPFS: i64 = 0x0102_1994;

    #[test]
    fn the_number_of_a_line_is_found_by_its_whole_name() {
        let text = "cancelled_write_bytes: 5\nwrite_bytes: 7\nVmHWM:\t  12 kB\n";
        assert_eq!(number(text, "write_bytes:"), Some(7));
        assert_eq!(number(text, "VmHWM:"), Some(12));
        assert_eq!(number(text, "VmRSS:"), None);
    }

    #[test]
    fn what_the_process_uses_is_seen() {
        let before = memory().expect("a process has memory");
        let block = std::hint::black_box(vec![7_u8; 64 * 1024 * 1024]);
        let after = memory().expect("a process has memory");
        assert!(after.now_kib >= before.now_kib + 60 * 1024, "{before:?} {after:?}");
        assert!(after.peak_kib >= after.now_kib);
        drop(block);
        let meter = Meter::start(StoreStats::default()).expect("a process has counters");
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("file");
        fs::write(&file, vec![7; 1_000_000]).expect("a file");
        let is_on_disk = statfs(&file).is_ok_and(|about| about.f_type != TMPFS);
        let place = Place::parse(&dir.path().display().to_string());
        let stats = StoreStats { syncs: 3, ..StoreStats::default() };
        let line = meter.stop(&place, stats).expect("a process has counters");
        assert_eq!(line.syncs, Some(3));
        assert!(line.secs.is_some_and(|secs| secs > 0.0), "{line:?}");
        let written = line.written_bytes.expect("a process has counters");
        assert!(written >= if is_on_disk { 1_000_000 } else { 0 }, "{line:?}");
        assert!(line.disk_bytes.is_some_and(|bytes| bytes >= 1_000_000), "{line:?}");
        assert!(line.cpu_s.is_some_and(|cpu| cpu > 0.0), "{line:?}");
    }
}
