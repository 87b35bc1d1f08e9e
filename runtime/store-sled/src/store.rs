//! The handle and the one way to write.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steadfast_core::{Namespace, Timestamp};
use steadfast_store::{Room, StoreError, StoreErrorKind};

use crate::counter::Counter;
use crate::database::Database;
use crate::directory::Directory;
use crate::error::{file_error, io_kind};
use crate::key::{Key, Table};
use crate::options::{Clock, Probe, Step};
use crate::row::ProgressRow;
use crate::space::Space;
use crate::stage::Stage;

/// A store in a directory, for one namespace. Clones share it; the directory is free when the last one is dropped.
#[derive(Clone)]
pub struct SledStore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) namespace: Namespace,
    /// What stands for the namespace in keys.
    pub(crate) number: u16,
    pub(crate) shard_count: u16,
    /// Held for moments only, never while something is written.
    space: Arc<Mutex<Space>>,
}

/// What all handles of a directory share. Fields are dropped in order: the lock last.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) database: Database,
    /// Whoever writes holds it from the first check to the last sync.
    writer: Mutex<Writer>,
    /// The namespaces that are open.
    pub(crate) spaces: Mutex<BTreeMap<u16, Arc<Mutex<Space>>>>,
    pub(crate) clock: Clock,
    probe: Probe,
    reserve_bytes: u64,
    pub(crate) directory: Directory,
}

/// What only the one that writes touches.
#[derive(Debug)]
pub(crate) struct Writer {
    counter: Counter,
    /// Groups of all namespaces.
    commits: u64,
}

/// What a piece of work wants written beside its rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// Committed transitions.
    pub(crate) transitions: u64,
    /// The progress of the namespace, but for the number of commits.
    pub(crate) progress: ProgressRow,
}

impl Shared {
    pub(crate) fn new(
        database: Database,
        directory: Directory,
        counter: Counter,
        commits: u64,
        options: (Clock, Probe, u64),
    ) -> Self {
        let (clock, probe, reserve_bytes) = options;
        Self {
            database,
            writer: Mutex::new(Writer { counter, commits }),
            spaces: Mutex::default(),
            clock,
            probe,
            reserve_bytes,
            directory,
        }
    }

    /// The database, unless the store gave up.
    pub(crate) fn live(&self) -> Result<&Database, StoreError> {
        self.database.check_alive()?;
        Ok(&self.database)
    }

    /// Waits until nobody writes, then keeps everybody else from writing.
    pub(crate) fn lock_writer(&self) -> Result<MutexGuard<'_, Writer>, StoreError> {
        let writer = locked(&self.writer);
        self.live()?;
        Ok(writer)
    }

    /// Writes batches and makes them durable. Any failure is final: what is on the disk is not known then.
    pub(crate) fn write(
        &self,
        writer: &mut Writer,
        batches: impl Iterator<Item = sled::Batch>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let written = self.try_write(writer, batches, at);
        if let Err(error) = &written {
            self.database.poison(error);
        }
        written
    }

    fn try_write(
        &self,
        writer: &mut Writer,
        batches: impl Iterator<Item = sled::Batch>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.probe(Step::Begin)?;
        for batch in batches {
            self.database.apply(batch)?;
        }
        self.probe(Step::Applied)?;
        self.database.flush()?;
        self.probe(Step::Flushed)?;
        self.database.sync()?;
        self.database.check_blobs()?;
        writer.commits += 1;
        writer.counter.note(writer.commits, at)?;
        self.probe(Step::Synced)
    }

    fn probe(&self, step: Step) -> Result<(), StoreError> {
        self.probe.at(step).map_err(|error| {
            let kind = io_kind(&error, StoreErrorKind::Unavailable);
            StoreError::new(kind, format!("cannot write (stopped at {step:?})")).caused_by(error)
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.database.check_alive().is_ok() {
            // A counter that lags behind is no harm.
            let _ = locked(&self.writer).counter.sync();
        }
    }
}

impl SledStore {
    pub(crate) fn new(
        shared: Arc<Shared>,
        namespace: Namespace,
        number: u16,
        space: Arc<Mutex<Space>>,
    ) -> Self {
        let shard_count = u16::try_from(locked(&space).shards.len()).unwrap_or(u16::MAX);
        Self { shared, namespace, number, shard_count, space }
    }

    /// The namespace that this handle serves.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.shared.directory.path()
    }

    pub(crate) fn database(&self) -> Result<&Database, StoreError> {
        self.shared.live()
    }

    /// Who owns what, for a moment.
    pub(crate) fn space(&self) -> MutexGuard<'_, Space> {
        locked(&self.space)
    }

    pub(crate) fn clock(&self) -> Timestamp {
        self.shared.clock.now().after(self.space().ahead)
    }

    /// Does a piece of work as the only writer: what it stages is durable when this returns.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&mut Stage<'_>, &mut Outcome) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = self.shared.lock_writer()?;
        let mut stage = Stage::new(&self.shared.database);
        let mut outcome = Outcome { transitions: 0, progress: self.space().progress };
        let done = work(&mut stage, &mut outcome)?;
        let (put, deleted) = stage.keys();
        if stage.is_empty() && outcome.progress == self.space().progress {
            return Ok(done);
        }
        outcome.progress.commits += 1;
        let staged = stage.put(&Key::new(Table::Progress, self.number), &outcome.progress);
        debug_assert!(staged.is_ok(), "a row of three numbers fits");
        stage.close();
        self.shared.write(&mut writer, stage.into_batches(), outcome.progress.last_time)?;
        let mut space = self.space();
        space.progress = outcome.progress;
        space.stats.transitions += outcome.transitions;
        space.stats.syncs += 1;
        space.stats.keys_own += 1;
        if outcome.transitions > 0 {
            space.stats.groups += 1;
            space.stats.keys_put += put;
            space.stats.keys_deleted += deleted;
        } else {
            space.stats.keys_own += put + deleted;
        }
        Ok(done)
    }

    /// Waits until nobody writes, then changes what is only in memory.
    pub(crate) fn change<T>(&self, work: impl FnOnce(&mut Space) -> T) -> Result<T, StoreError> {
        let _writer = self.shared.lock_writer()?;
        Ok(work(&mut self.space()))
    }

    pub(crate) fn free_room(&self) -> Result<Room, StoreError> {
        let dir = self.dir();
        let stat = rustix::fs::statvfs(dir).map_err(|error| file_error("measure", dir, error.into()))?;
        let (free, reserve) = (stat.f_bavail.saturating_mul(stat.f_frsize), self.shared.reserve_bytes);
        Ok(if free < reserve { Room::Low { free, reserve } } else { Room::Enough })
    }
}

impl fmt::Debug for SledStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore")
            .field("dir", &self.dir())
            .field("namespace", &self.namespace)
            .field("shard_count", &self.shard_count)
            .finish_non_exhaustive()
    }
}

/// Takes a mutex. None of them is ever left with half a change in it, so one that a panic left is usable.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
