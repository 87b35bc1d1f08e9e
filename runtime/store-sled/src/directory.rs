//! The directory of a store and what is beside sled's files in it.
//!
//! ```text
//! steadfast           the marker: says whose directory it is and its format; locked while a process holds it
//! steadfast.counter   the commit counter
//! steadfast.conf      a copy of `conf`, with a checksum
//! steadfast.kept/     the end of the log, while it opens and after an opening that failed
//! conf db blobs/ snap.*   sled's own
//! ```
//!
//! The marker is empty until everything of a new store is durable: so an interrupted creation is known, and nothing
//! that was acknowledged can be in it.
//!
//! **Invariant**: a directory is only changed once it is known to be ours and locked.

mod conf;
mod create;
mod durable;
mod kept;
mod marker;

use std::fs;
use std::path::{Path, PathBuf};

use steadfast_store::{StoreError, StoreErrorKind};

pub(crate) use durable::sync_all;
pub(crate) use kept::{forget, place as kept_place};
use marker::Marker;

use crate::error::file_error;

/// A directory that is locked and ours.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// Holds the lock; dropped after the database.
    marker: Marker,
    /// Whether its creation was never completed.
    fresh: bool,
}

impl Directory {
    /// Takes the directory, makes it if it is missing, and prepares it for sled.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        create::make(path)?;
        let marker = Marker::take(path)?;
        let fresh = marker.is_fresh();
        if fresh {
            create::prepare(path)?;
        } else {
            check_log(path)?;
        }
        conf::check(path)?;
        check_blobs(path)?;
        remove_half_snapshots(path)?;
        if !fresh {
            kept::keep(path)?;
        }
        Ok(Self { path: path.to_path_buf(), marker, fresh })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing was ever stored in it.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Ends the creation: from now on the directory is a store.
    pub(crate) fn complete(&mut self) -> Result<(), StoreError> {
        self.marker.complete()?;
        self.fresh = false;
        Ok(())
    }
}

/// sled leaves these behind when it is killed while it opens, and then refuses to open.
fn remove_half_snapshots(dir: &Path) -> Result<(), StoreError> {
    for name in names(dir)? {
        if name.starts_with("snap.") && name.ends_with(".generating") {
            let path = dir.join(name);
            fs::remove_file(&path).map_err(|error| file_error("remove", &path, error))?;
        }
    }
    Ok(())
}

/// sled would make an empty log in place of a missing one.
fn check_log(dir: &Path) -> Result<(), StoreError> {
    let log = dir.join("db");
    if log.is_file() { Ok(()) } else { Err(StoreError::corrupt(log.display(), "the file is missing")) }
}

fn check_blobs(dir: &Path) -> Result<(), StoreError> {
    let blobs = dir.join("blobs");
    if blobs.is_dir() && !names(&blobs)?.is_empty() {
        return Err(StoreError::new(
            StoreErrorKind::Corrupt,
            format!("{} holds files that this store did not write; it must be empty", blobs.display()),
        ));
    }
    Ok(())
}

/// The names of everything in a directory.
fn names(dir: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |error| file_error("list", dir, error);
    fs::read_dir(dir)
        .map_err(failed)?
        .map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned()))
        .collect()
}
