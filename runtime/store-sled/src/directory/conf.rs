//! sled's `conf`: 62 bytes without which a database does not open, and which sled never syncs. Ours is durable before
//! sled first opens, and a copy with a checksum stands beside it.

use std::fs;
use std::path::Path;

use steadfast_store::{StoreError, StoreErrorKind};

use super::durable::write_file;
use crate::database::guarded;
use crate::error::file_error;

const NAME: &str = "conf";
const COPY: &str = "steadfast.conf";
/// Where sled makes a `conf` for us; never holds data.
const SCRATCH: &str = "steadfast.creating";

/// Whether the copy is there and whole.
pub(super) fn is_copied(dir: &Path) -> bool {
    read_copy(dir).is_ok()
}

/// Has sled make its `conf` aside, then puts it and its copy in place.
pub(super) fn create(dir: &Path) -> Result<(), StoreError> {
    let scratch = dir.join(SCRATCH);
    drop(guarded("create a database", || sled::Config::new().path(&scratch).flush_every_ms(None).open())?);
    let made = scratch.join(NAME);
    let bytes = fs::read(&made).map_err(|error| file_error("read", &made, error))?;
    write_file(dir, NAME, &bytes)?;
    let mut copy = bytes;
    copy.extend_from_slice(&crc32c::crc32c(&copy).to_be_bytes());
    write_file(dir, COPY, &copy)?;
    remove_scratch(dir)
}

/// Compares `conf` with the copy.
pub(super) fn check(dir: &Path) -> Result<(), StoreError> {
    let copy = read_copy(dir)?;
    let path = dir.join(NAME);
    let found = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(file_error("read", &path, error)),
    };
    if found == copy {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Corrupt,
        format!(
            "{} is missing or damaged; a good copy is in {}: put its first {} bytes in place",
            path.display(),
            dir.join(COPY).display(),
            copy.len()
        ),
    ))
}

fn read_copy(dir: &Path) -> Result<Vec<u8>, StoreError> {
    let path = dir.join(COPY);
    let mut bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::corrupt(path.display(), "the file is missing"));
        }
        Err(error) => return Err(file_error("read", &path, error)),
    };
    let split = bytes.len().saturating_sub(4);
    if bytes.is_empty() || bytes[split..] != crc32c::crc32c(&bytes[..split]).to_be_bytes() {
        return Err(StoreError::corrupt(path.display(), "its checksum does not match"));
    }
    bytes.truncate(split);
    Ok(bytes)
}

/// Removes what an interrupted creation left aside.
pub(super) fn remove_scratch(dir: &Path) -> Result<(), StoreError> {
    let scratch = dir.join(SCRATCH);
    match fs::remove_dir_all(&scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(file_error("remove", &scratch, error))
        }
        _ => Ok(()),
    }
}
