//! Where the demonstration keeps things: the store of the workflows and the ledger of the service.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use tempfile::TempDir;

/// The folders. What is temporary goes when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    folder: TempDir,
    store: Option<String>,
}

impl Place {
    pub(super) fn new(store: Option<String>) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("tour-booking-")
            .tempdir()
            .context("no temporary folder can be made")?;
        Ok(Self { folder, store })
    }

    /// The store as its URL.
    pub(super) fn store(&self) -> anyhow::Result<String> {
        if let Some(store) = &self.store {
            return Ok(store.clone());
        }
        let path = self.folder.path().join("store");
        match path.to_str() {
            Some(path) => Ok(path.to_owned()),
            None => bail!("the temporary folder {} has no readable name", path.display()),
        }
    }

    /// The folder of the service's ledger. The service of each demonstration begins with empty books.
    pub(super) fn ledger(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    /// What tells this demonstration apart from earlier ones on the same store. Empty if it has one of its own.
    pub(super) fn label(&self) -> String {
        if self.store.is_none() {
            return String::new();
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:x}", now.as_millis())
    }

    /// Removes what is temporary.
    pub(super) fn remove(self) -> anyhow::Result<()> {
        let path = self.folder.path().to_owned();
        self.folder.close().with_context(|| format!("{} can't be removed", path.display()))
    }

    /// Leaves everything for somebody to look at, and says where.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
