//! Files and directories that are on the disk when a function returns.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use steadfast_store::StoreError;

use crate::error::file_error;

/// Writes a whole file under another name first: it is there with all of its content, or not at all.
pub(super) fn write_file(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let new = dir.join(format!("{name}.new"));
    let path = dir.join(name);
    let failed = |error| file_error("write", &new, error);
    let mut file = File::create(&new).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    fs::rename(&new, &path).map_err(|error| file_error("rename", &new, error))?;
    sync_dir(dir)
}

/// Makes a directory's list of names durable.
pub(super) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    let sync = || File::open(dir)?.sync_all();
    sync().map_err(|error| file_error("sync", dir, error))
}

/// Syncs every file, then `blobs/`, then the directory, then its parent: sled leaves all of that to chance.
pub(crate) fn sync_all(dir: &Path) -> Result<(), StoreError> {
    let blobs = dir.join("blobs");
    sync_files(&blobs)?;
    sync_files(dir)?;
    sync_dir(&blobs)?;
    sync_dir(dir)?;
    let absolute = fs::canonicalize(dir).map_err(|error| file_error("find", dir, error))?;
    absolute.parent().map_or(Ok(()), sync_dir)
}

fn sync_files(dir: &Path) -> Result<(), StoreError> {
    let failed = |error| file_error("list", dir, error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let path: PathBuf = entry.map_err(failed)?.path();
        if path.is_file() {
            let sync = || File::open(&path)?.sync_all();
            sync().map_err(|error| file_error("sync", &path, error))?;
        }
    }
    Ok(())
}
