//! Making a new store's directory, so that a power cut at any moment leaves one that opens.

use std::fs;
use std::io;
use std::path::Path;

use steadfast_store::{StoreError, StoreErrorKind};

use super::conf;
use super::durable::sync_dir;
use crate::counter;
use crate::error::file_error;

/// Makes the directory itself if it is missing.
pub(super) fn make(dir: &Path) -> Result<(), StoreError> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(not_a_directory(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_durably(dir),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(not_a_directory(dir).caused_by(error))
        }
        Err(error) => Err(file_error("open", dir, error)),
    }
}

/// Makes a directory and those above it, and makes the name of each durable.
fn make_durably(dir: &Path) -> Result<(), StoreError> {
    let missing = dir.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
    let missing: Vec<&Path> = missing.collect();
    fs::create_dir_all(dir).map_err(|error| file_error("create", dir, error))?;
    for made in missing {
        match made.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent)?,
            _ => sync_dir(Path::new("."))?,
        }
    }
    Ok(())
}

/// Makes everything that must be durable before sled writes: its configuration, our copy of it, the counter.
/// Nothing that is there and whole is made again.
pub(super) fn prepare(dir: &Path) -> Result<(), StoreError> {
    conf::remove_scratch(dir)?;
    if !conf::is_copied(dir) {
        conf::create(dir)?;
    }
    if !counter::exists(dir) {
        counter::create(dir)?;
    }
    sync_dir(dir)
}

fn not_a_directory(dir: &Path) -> StoreError {
    StoreError::new(
        StoreErrorKind::Invalid,
        format!("{} is not a directory; a store needs one of its own", dir.display()),
    )
}
