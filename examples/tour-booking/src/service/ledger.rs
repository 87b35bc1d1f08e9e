//! The ledger on disk: one JSON line for each decided call, appended and synced, never rewritten.
//!
//! At load every line is decided again and must come out as recorded. The bytes after the last line end are what a
//! kill cut short: no answer was given for them, so they are cut off. Anything else that cannot be read is damage and
//! stops the service with the file left as it is.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::register::{Entry, Register};

#[cfg(test)]
mod tests;

/// The file inside the service's directory.
pub(crate) const FILE_NAME: &str = "ledger.jsonl";

/// Why the ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Two services on one directory would answer without knowing of each other.
    #[error("ledger {} is in use by another service", .0.display())]
    InUse(PathBuf),
    /// A line that no run of this service wrote, or that was changed since.
    #[error("ledger {}, line {line}: {reason}", .path.display())]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// Counts from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("cannot {doing} {}", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

/// The open ledger. It is locked, so the directory has one service at a time.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens or makes the ledger of a directory, and brings the register up to its last line.
    pub(crate) fn open(dir: &Path) -> Result<(Self, Register), LedgerError> {
        let path = dir.join(FILE_NAME);
        fs::create_dir_all(dir).map_err(io_error("make directory", dir))?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(io_error("open ledger", &path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => LedgerError::InUse(path.clone()),
            TryLockError::Error(source) => io_error("lock ledger", &path)(source),
        })?;
        let (register, length) = load(&file, &path)?;
        file.set_len(length).map_err(io_error("cut the torn end of ledger", &path))?;
        // A killed service may have left lines that are written but not on disk: they are about to be relied on.
        file.sync_all().map_err(io_error("sync ledger", &path))?;
        sync_dir(dir)?;
        Ok((Self { file, path }, register))
    }

    /// Appends encoded entries. They are on disk when this returns. After an error the end of the file is unknown
    /// and the ledger must be opened again.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), LedgerError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.file.write_all(lines).map_err(io_error("write ledger", &self.path))?;
        self.file.sync_data().map_err(io_error("sync ledger", &self.path))
    }

    /// Lets a test have a file that can't be written.
    #[cfg(test)]
    pub(crate) fn replace_file(&mut self, file: File) {
        self.file = file;
    }

    /// Adds an entry to the bytes of one [`append`](Self::append).
    pub(crate) fn encode(&self, entry: &Entry, lines: &mut Vec<u8>) -> Result<(), LedgerError> {
        serde_json::to_writer(&mut *lines, entry)
            .map_err(|error| io_error("encode an entry of ledger", &self.path)(error.into()))?;
        lines.push(b'\n');
        Ok(())
    }
}

/// Decides every whole line again; also gives the length of the whole lines.
fn load(file: &File, path: &Path) -> Result<(Register, u64), LedgerError> {
    let mut register = Register::default();
    let mut reader = BufReader::new(file);
    let mut length = 0;
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let read = reader.read_until(b'\n', &mut bytes).map_err(io_error("read ledger", path))?;
        if bytes.last() != Some(&b'\n') {
            break;
        }
        take_again(&mut register, line, &bytes).map_err(|reason| LedgerError::Damaged {
            path: path.to_owned(),
            line,
            reason,
        })?;
        length += read as u64;
    }
    Ok((register, length))
}

fn take_again(register: &mut Register, line: u64, bytes: &[u8]) -> Result<(), String> {
    let recorded: Entry = serde_json::from_slice(bytes).map_err(|error| format!("is no entry: {error}"))?;
    if recorded.number != line {
        return Err(format!("has entry number {}", recorded.number));
    }
    let (decided, _) = register.take(recorded.call.clone()).map_err(|error| error.to_string())?;
    if decided.outcome != recorded.outcome {
        return Err(format!("records {:?} where {:?} follows", recorded.outcome, decided.outcome));
    }
    Ok(())
}

/// A new file is only found again after a power cut once its directory is synced.
fn sync_dir(dir: &Path) -> Result<(), LedgerError> {
    if cfg!(unix) {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(io_error("sync directory", dir))?;
    }
    Ok(())
}

fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
    move |source| LedgerError::Io { doing, path: path.to_owned(), source }
}
