//! All calls into sled. It reports damage by panicking: so each call stands inside `catch_unwind`.
//!
//! **Invariant**: after a write, flush or sync that failed, and after any failure of the file system, nothing is
//! written or read any more: what is on the disk is not known, and sled itself may show what is not there.

use std::fs::File;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sled::IVec;
use steadfast_store::{StoreError, StoreErrorKind};

use crate::error::{file_error, panic_error, sled_error};

/// A key and its value.
pub(crate) type Entry = (IVec, IVec);

/// The one tree, and the descriptor that makes it durable.
#[derive(Debug)]
pub(crate) struct Database {
    db: sled::Db,
    /// A descriptor of our own on the log: sled's `flush` starts writing, only this waits for the disk.
    log: File,
    log_path: PathBuf,
    blobs: PathBuf,
    dir: PathBuf,
    /// Why nothing is done any more.
    poison: OnceLock<String>,
    /// Raised before and after every batch: odd while one is applied.
    generation: AtomicU64,
}

impl Database {
    pub(crate) fn new(db: sled::Db, dir: &Path) -> Result<Self, StoreError> {
        let log_path = dir.join("db");
        let log = File::open(&log_path).map_err(|error| file_error("open", &log_path, error))?;
        let blobs = dir.join("blobs");
        let (dir, poison, generation) = (dir.to_path_buf(), OnceLock::new(), AtomicU64::new(0));
        Ok(Self { db, log, log_path, blobs, dir, poison, generation })
    }

    /// An error if the store gave up.
    pub(crate) fn check_alive(&self) -> Result<(), StoreError> {
        match self.poison.get() {
            None => Ok(()),
            Some(why) => Err(StoreError::new(
                StoreErrorKind::Poisoned,
                format!(
                    "the store in {} gave up after a failed write and must be opened again: {why}",
                    self.dir.display()
                ),
            )),
        }
    }

    /// Gives up for good.
    pub(crate) fn poison(&self, error: &StoreError) {
        let why = std::error::Error::source(error)
            .map_or_else(|| error.to_string(), |source| format!("{error} ({source})"));
        if self.poison.set(why).is_ok() {
            tracing::error!(dir = %self.dir.display(), "the store gives up: {error}");
        }
    }

    /// Damage of one row leaves the others readable; a file system that fails does not.
    fn reading<T>(&self, what: &str, call: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        self.check_alive()?;
        let read = guarded(what, call);
        if let Err(error) = &read
            && error.kind() != StoreErrorKind::Corrupt
        {
            self.poison(error);
        }
        read
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        self.reading("read a key", || self.db.get(key))
    }

    /// Whether there is nothing at all.
    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.scan(Bound::Unbounded, &[u8::MAX], 1)?.is_empty())
    }

    /// The names of trees other than the one that is used.
    pub(crate) fn other_trees(&self) -> usize {
        self.db.tree_names().len().saturating_sub(1)
    }

    /// Entries from `start` to before `end`, at most `limit`.
    pub(crate) fn scan(
        &self,
        start: Bound<&[u8]>,
        end: &[u8],
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        if starts_behind(start, end) {
            return Ok(Vec::new());
        }
        self.reading("read a range of keys", || {
            self.db.range::<&[u8], _>((start, Bound::Excluded(end))).take(limit).collect()
        })
    }

    /// The last entry from `start` to `last`, both included.
    pub(crate) fn last_in(&self, start: &[u8], last: &[u8]) -> Result<Option<Entry>, StoreError> {
        if start > last {
            return Ok(None);
        }
        self.reading("read a range of keys", || self.db.range(start..=last).next_back().transpose())
    }

    pub(crate) fn apply(&self, batch: sled::Batch) -> Result<(), StoreError> {
        self.generation.fetch_add(1, Ordering::SeqCst);
        let applied = guarded("write", || self.db.apply_batch(batch));
        self.generation.fetch_add(1, Ordering::SeqCst);
        applied
    }

    /// What all reads so far saw was of one moment if this is even and the same before and after them.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        guarded("flush", || self.db.flush()).map(|_bytes| ())
    }

    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.log.sync_data().map_err(|error| file_error("sync", &self.log_path, error))
    }

    /// Proves that no value went to a file of its own, which sled never syncs.
    pub(crate) fn check_blobs(&self) -> Result<(), StoreError> {
        let mut files =
            std::fs::read_dir(&self.blobs).map_err(|error| file_error("list", &self.blobs, error))?;
        match files.next() {
            None => Ok(()),
            Some(_) => Err(StoreError::new(
                StoreErrorKind::Corrupt,
                format!("{} holds files, which are not durable; it must be empty", self.blobs.display()),
            )),
        }
    }
}

fn starts_behind(start: Bound<&[u8]>, end: &[u8]) -> bool {
    match start {
        Bound::Included(start) | Bound::Excluded(start) => start >= end,
        Bound::Unbounded => false,
    }
}

/// Calls sled and turns its errors and panics into errors of the contract.
pub(crate) fn guarded<T>(what: &str, call: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(sled_error(what, error)),
        Err(panic) => Err(panic_error(what, &*panic)),
    }
}
