//! The commit counter outside sled: how many groups were durable. A log whose tail was cut cleanly cannot be told
//! from a shorter one by itself; that it knows of fewer groups than this file shows it.
//!
//! The file is written after each durable group and synced only now and then, so it may lag behind, never run ahead.
//! Two slots are written in turn: a torn one leaves the other.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use steadfast_core::Timestamp;
use steadfast_store::StoreError;

use crate::error::file_error;

const NAME: &str = "steadfast.counter";
const MAGIC: [u8; 4] = *b"SFC1";
const SLOT: usize = 24;
const SLOT_AT: [u64; 2] = [0, 4_096];
/// How many groups may pass before the file is synced. The operating system writes it much earlier.
const SYNC_EVERY: u64 = 1_024;

/// The open file.
#[derive(Debug)]
pub(crate) struct Counter {
    file: File,
    path: PathBuf,
    /// As read or written last.
    commits: u64,
    synced: u64,
}

/// Writes a new file with a count of zero and makes its content durable.
pub(crate) fn create(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(NAME);
    let failed = |error| file_error("create", &path, error);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    for at in SLOT_AT {
        file.write_all_at(&slot(0, Timestamp::ZERO), at).map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}

/// Whether a whole file is there.
pub(crate) fn exists(dir: &Path) -> bool {
    Counter::open(dir).is_ok()
}

impl Counter {
    /// Opens the file and reads the highest count in it.
    pub(crate) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(NAME);
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::corrupt(path.display(), "the file is missing"));
            }
            Err(error) => return Err(file_error("open", &path, error)),
        };
        let read = |at| {
            let mut bytes = [0; SLOT];
            file.read_exact_at(&mut bytes, at).ok()?;
            parse(&bytes)
        };
        let Some(commits) = SLOT_AT.into_iter().filter_map(read).max() else {
            return Err(StoreError::corrupt(path.display(), "neither of its two counts is whole"));
        };
        Ok(Self { file, path, commits, synced: commits })
    }

    /// How many groups were durable at least.
    pub(crate) fn commits(&self) -> u64 {
        self.commits
    }

    /// Notes that group number `commits` is durable.
    pub(crate) fn note(&mut self, commits: u64, at: Timestamp) -> Result<(), StoreError> {
        if commits.saturating_sub(self.synced) >= SYNC_EVERY {
            // What is synced here was written with earlier groups.
            self.sync()?;
        }
        let place = SLOT_AT[usize::from(commits % 2 == 1)];
        self.file
            .write_all_at(&slot(commits, at), place)
            .map_err(|error| file_error("write", &self.path, error))?;
        self.commits = commits;
        Ok(())
    }

    /// Makes durable what was noted.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| file_error("sync", &self.path, error))?;
        self.synced = self.commits;
        Ok(())
    }
}

fn slot(commits: u64, at: Timestamp) -> [u8; SLOT] {
    let mut bytes = [0; SLOT];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4..12].copy_from_slice(&commits.to_be_bytes());
    bytes[12..20].copy_from_slice(&at.as_micros().to_be_bytes());
    let crc = crc32c::crc32c(&bytes[..20]);
    bytes[20..].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn parse(bytes: &[u8; SLOT]) -> Option<u64> {
    let whole = bytes[..4] == MAGIC && bytes[20..] == crc32c::crc32c(&bytes[..20]).to_be_bytes();
    let count = bytes[4..12].try_into().ok()?;
    whole.then(|| u64::from_be_bytes(count))
}
