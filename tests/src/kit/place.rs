//! Where a store lives while engines come and go.

use std::sync::Arc;

use steadfast::store::{MemoryStore, Sessions as _, Store};
use steadfast::{EngineClock as _, ManualClock};
use steadfast_core::Namespace;
use steadfast_store_sled::{Clock, SledOptions, SledStore};
use tempfile::TempDir;

use super::case::StoreKind;

const NAMESPACE: &str = "default";
const SHARDS: u16 = 4;
const CACHE_BYTES: u64 = 8 * 1024 * 1024;

/// A store of some [`StoreKind`] that outlives the engines on it.
#[derive(Debug)]
pub enum Place {
    /// In memory.
    Memory(MemoryStore),
    /// In a directory, which goes with this.
    Sled(TempDir),
}

impl Place {
    /// A new and empty store, whose clock begins with this one.
    ///
    /// # Errors
    ///
    /// If there is no room for a directory.
    pub fn new(kind: StoreKind, clock: &ManualClock) -> anyhow::Result<Self> {
        Ok(match kind {
            StoreKind::Memory => {
                Self::Memory(MemoryStore::new(Namespace::new(NAMESPACE)?, SHARDS, clock.now()))
            }
            StoreKind::Sled => Self::Sled(tempfile::tempdir()?),
        })
    }

    /// Opens the store as a new process would: sessions that an earlier one left are ended.
    ///
    /// # Errors
    ///
    /// What the store says.
    pub fn open(&self, clock: &Arc<ManualClock>) -> anyhow::Result<Arc<dyn Store>> {
        match self {
            Self::Memory(store) => {
                for session in store.sessions()? {
                    store.end_session(session.id)?;
                }
                Ok(Arc::new(store.clone()))
            }
            Self::Sled(dir) => {
                let clock = Arc::clone(clock);
                let mut options = SledOptions::new(dir.path(), Namespace::new(NAMESPACE)?);
                options.shard_count = Some(SHARDS);
                options.cache_capacity = CACHE_BYTES;
                options.clock = Clock::from_fn(move || clock.now());
                Ok(Arc::new(SledStore::open(options)?))
            }
        }
    }

    /// The store in memory, if it is one.
    pub(super) fn memory(&self) -> Option<MemoryStore> {
        if let Self::Memory(store) = self { Some(store.clone()) } else { None }
    }

    /// The store's clock follows that of the test.
    pub fn tell_time(&self, clock: &ManualClock) {
        if let Self::Memory(store) = self {
            store.set_now(clock.now());
        }
    }
}
