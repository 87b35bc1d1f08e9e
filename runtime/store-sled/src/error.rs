//! Errors of sled and of the file system as errors of the contract.

use std::any::Any;
use std::io;
use std::path::Path;

use steadfast_store::{StoreError, StoreErrorKind};

/// The kind of an I/O error; `other` if it is none of the usual ones.
pub(crate) fn io_kind(error: &io::Error, other: StoreErrorKind) -> StoreErrorKind {
    if matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    ) {
        StoreErrorKind::Full
    } else if matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied) {
        StoreErrorKind::ReadOnly
    } else {
        other
    }
}

/// A failed operation on a file of the store.
pub(crate) fn file_error(what: &str, path: &Path, error: io::Error) -> StoreError {
    let kind = io_kind(&error, StoreErrorKind::Unavailable);
    let reason = if kind == StoreErrorKind::Full {
        ": the disk is full"
    } else if kind == StoreErrorKind::ReadOnly {
        ": it may not be written"
    } else {
        ""
    };
    StoreError::new(kind, format!("cannot {what} {}{reason}", path.display())).caused_by(error)
}

/// A failed call of sled; `what` says what was tried.
pub(crate) fn sled_error(what: &str, error: sled::Error) -> StoreError {
    let (kind, reason) = if let sled::Error::Io(error) = &error {
        let kind = io_kind(error, StoreErrorKind::Unavailable);
        let reason = if kind == StoreErrorKind::Full {
            "the disk is full"
        } else if kind == StoreErrorKind::ReadOnly {
            "the files may not be written"
        } else {
            "the file system failed"
        };
        (kind, reason)
    } else {
        (StoreErrorKind::Corrupt, "the database is damaged")
    };
    StoreError::new(kind, format!("cannot {what}: {reason}")).caused_by(error)
}

/// A panic inside sled, which is how it reports most damage.
pub(crate) fn panic_error(what: &str, panic: &(dyn Any + Send)) -> StoreError {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    StoreError::new(
        StoreErrorKind::Corrupt,
        format!("cannot {what}: the database is damaged or sled failed ({text})"),
    )
}
