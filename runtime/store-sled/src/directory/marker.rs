//! The marker file: whose directory it is, in which format, and who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use steadfast_store::{StoreError, StoreErrorKind};

use super::durable::sync_dir;
use super::names;
use crate::envelope::FORMAT;
use crate::error::file_error;

const NAME: &str = "steadfast";
const ELSEWHERE: &str = "use an empty directory or one that does not exist";
const TITLE: &str = "steadfast store";
/// How often the lock is tried, a moment apart: a process that is just being forked holds it for an instant.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The locked file.
#[derive(Debug)]
pub(super) struct Marker {
    file: File,
    path: PathBuf,
    fresh: bool,
}

impl Marker {
    /// Finds out whose directory it is, and locks it. Nothing else is touched.
    pub(super) fn take(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(NAME);
        if !path.exists() {
            check_empty(dir)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| cannot_open(dir, &path, error))?;
        lock(&file, dir, &path)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| file_error("read", &path, error))?;
        let fresh = text.is_empty();
        if !fresh {
            check_format(dir, &path, &text)?;
        }
        Ok(Self { file, path, fresh })
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Writes what the directory is.
    pub(super) fn complete(&mut self) -> Result<(), StoreError> {
        let failed = |error| file_error("write", &self.path, error);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.file.write_all(format!("{TITLE}\nformat {FORMAT}\n").as_bytes()).map_err(failed)?;
        self.file.sync_all().map_err(failed)?;
        if let Some(dir) = self.path.parent() {
            sync_dir(dir)?;
        }
        self.fresh = false;
        Ok(())
    }
}

/// A directory without a marker must have nothing in it (a file system's own `lost+found` aside).
fn check_empty(dir: &Path) -> Result<(), StoreError> {
    let Some(name) = names(dir)?.into_iter().find(|name| name != "lost+found") else { return Ok(()) };
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!(
            "{} is not a store of Steadfast: it holds `{name}` and no file `{NAME}`; {ELSEWHERE}",
            dir.display()
        ),
    ))
}

fn cannot_open(dir: &Path, path: &Path, error: io::Error) -> StoreError {
    if path.is_dir() {
        let text = format!(
            "{} is not a store of Steadfast: `{NAME}` in it is a directory; {ELSEWHERE}",
            dir.display()
        );
        return StoreError::new(StoreErrorKind::Foreign, text);
    }
    file_error("open", path, error)
}

fn lock(file: &File, dir: &Path, path: &Path) -> Result<(), StoreError> {
    for attempt in 1.. {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if attempt < LOCK_TRIES => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::new(
                    StoreErrorKind::Held,
                    format!(
                        "the store in {} is held by another process or handle; stop that one first",
                        dir.display()
                    ),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(file_error("lock", path, error)),
        }
    }
    Ok(())
}

fn check_format(dir: &Path, path: &Path, text: &str) -> Result<(), StoreError> {
    let mut lines = text.lines();
    if lines.next() != Some(TITLE) {
        return Err(StoreError::new(
            StoreErrorKind::Foreign,
            format!(
                "{} is not a store of Steadfast: {} says something else; {ELSEWHERE}",
                dir.display(),
                path.display()
            ),
        ));
    }
    let format =
        lines.next().and_then(|line| line.strip_prefix("format ")).and_then(|text| text.parse::<u32>().ok());
    match format {
        Some(format) if format == u32::from(FORMAT) => Ok(()),
        Some(format) => Err(StoreError::new(
            StoreErrorKind::Foreign,
            format!(
                "the store in {} has format {format}, this version of Steadfast reads format {FORMAT}: \
                 use the version that made it, or a newer one",
                dir.display()
            ),
        )),
        None => Err(StoreError::corrupt(path.display(), "it names no format")),
    }
}
