//! What is chosen when a store is opened.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use steadfast_core::{Namespace, Timestamp};

/// Where a store is and how it is used.
///
/// ```no_run
/// use steadfast_core::Namespace;
/// use steadfast_store_sled::{SledOptions, SledStore};
///
/// let options = SledOptions::new("./tours", Namespace::new("default").unwrap());
/// let store = SledStore::open(options).unwrap();
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SledOptions {
    /// The directory: empty, missing, or one of ours.
    pub dir: PathBuf,
    /// The namespace that the handle serves; made if it is new.
    pub namespace: Namespace,
    /// The number of shards. `None` takes the stored number, or 64 for a new namespace.
    pub shard_count: Option<u16>,
    /// How many bytes of pages sled keeps in memory.
    pub cache_capacity: u64,
    /// Below this many free bytes [`steadfast_store::Commits::room`] says that there is no room for new runs.
    pub reserve_bytes: u64,
    /// The store's clock.
    pub clock: Clock,
    /// Called between the steps of a commit; for tests.
    pub probe: Probe,
}

impl SledOptions {
    /// The usual options for a directory.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>, namespace: Namespace) -> Self {
        Self {
            dir: dir.into(),
            namespace,
            shard_count: None,
            cache_capacity: 64 * 1024 * 1024,
            reserve_bytes: 128 * 1024 * 1024,
            clock: Clock::system(),
            probe: Probe::default(),
        }
    }
}

/// Tells the store what time it is.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The wall clock of this moment, moved on by the time since, suspension included: a later step of the
    /// wall clock does nothing to it.
    #[must_use]
    pub fn system() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = Timestamp::ZERO.after(wall);
        let booted = since_boot();
        Self::from_fn(move || start.after(since_boot().saturating_sub(booted)))
    }

    /// A clock of the caller's own.
    #[must_use]
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

fn since_boot() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// A step of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Nothing was written yet.
    Begin,
    /// Readers see the group; a crash may lose it.
    Applied,
    /// It was handed to the operating system; a power cut may lose it.
    Flushed,
    /// It is durable; nobody was told.
    Synced,
}

type ProbeFn = dyn Fn(Step) -> io::Result<()> + Send + Sync;

/// A hook between the steps of a commit, for tests: it may end the process, or fail in place of the next step.
#[derive(Clone, Default)]
pub struct Probe(Option<Arc<ProbeFn>>);

impl Probe {
    /// Calls `probe` at each step.
    #[must_use]
    pub fn from_fn(probe: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(probe)))
    }

    pub(crate) fn at(&self, step: Step) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |probe| probe(step))
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Probe(set)" } else { "Probe(none)" })
    }
}
