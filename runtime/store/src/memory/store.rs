//! The handle: namespaces, the clock, snapshots.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use steadfast_core::{Namespace, Timestamp};

use super::space::{Backing, Space};
use crate::contract::{Room, StoreError, StoreErrorKind};

/// A store in memory. Clones share everything; so several engines can live on one.
///
/// ```
/// use std::time::Duration;
/// use steadfast_core::{Namespace, Timestamp};
/// use steadfast_store::{MemoryStore, Sessions};
///
/// let start = Timestamp::from_micros(1_000_000);
/// let store = MemoryStore::new(Namespace::new("tours")?, 4, start);
/// store.advance(Duration::from_secs(1));
/// assert_eq!(store.now().unwrap(), Timestamp::from_micros(2_000_000));
/// assert_eq!(store.shard_count(), 4);
/// # Ok::<(), steadfast_core::InvalidId>(())
/// ```
#[derive(Clone)]
pub struct MemoryStore {
    /// Held for one call each; nothing waits and nothing can panic while it is.
    backing: Arc<Mutex<Backing>>,
    namespace: Namespace,
    shard_count: u16,
}

/// Everything that a [`MemoryStore`] held at one moment, in all namespaces, the clock included.
#[derive(Debug, Clone)]
pub struct MemorySnapshot(Backing);

impl MemoryStore {
    /// An empty store of `shard_count` shards (at least one) whose clock stands at `now`.
    #[must_use]
    pub fn new(namespace: Namespace, shard_count: u16, now: Timestamp) -> Self {
        let shard_count = shard_count.max(1);
        let spaces = [(namespace.clone(), Space::new(shard_count))].into();
        Self {
            backing: Arc::new(Mutex::new(Backing { now, room: Room::Enough, spaces })),
            namespace,
            shard_count,
        }
    }

    /// A handle for another namespace of the same store, which is made if it is new.
    ///
    /// # Errors
    ///
    /// [`StoreErrorKind::Invalid`] if it has another number of shards.
    pub fn with_namespace(&self, namespace: Namespace, shard_count: u16) -> Result<Self, StoreError> {
        let shard_count = shard_count.max(1);
        let existing = self.with(|backing| {
            let space = backing.spaces.entry(namespace.clone()).or_insert_with(|| Space::new(shard_count));
            space.shards.len()
        });
        if existing != usize::from(shard_count) {
            return Err(StoreError::new(
                StoreErrorKind::Invalid,
                format!("namespace `{namespace}` has {existing} shards, not {shard_count}"),
            ));
        }
        Ok(Self { backing: Arc::clone(&self.backing), namespace, shard_count })
    }

    /// The namespace that this handle serves.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Sets the clock of all handles.
    pub fn set_now(&self, now: Timestamp) {
        self.with(|backing| backing.now = now);
    }

    /// Moves the clock of all handles on.
    pub fn advance(&self, by: Duration) {
        self.with(|backing| backing.now = backing.now.after(by));
    }

    /// Sets what all handles say of the room that is left.
    pub fn set_room(&self, room: Room) {
        self.with(|backing| backing.room = room);
    }

    /// Everything as it is now.
    #[must_use]
    pub fn snapshot(&self) -> MemorySnapshot {
        self.with(|backing| MemorySnapshot(backing.clone()))
    }

    /// Puts everything back as it was, for all handles.
    pub fn restore(&self, snapshot: &MemorySnapshot) {
        self.with(|backing| backing.clone_from(&snapshot.0));
    }

    pub(super) fn shards(&self) -> u16 {
        self.shard_count
    }

    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Backing) -> T) -> T {
        work(&mut self.backing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works on this handle's namespace.
    pub(super) fn in_space<T>(&self, work: impl FnOnce(&mut Space, Timestamp) -> T) -> T {
        self.with(|backing| {
            let now = backing.now;
            // A restored snapshot may be older than this namespace.
            let space =
                backing.spaces.entry(self.namespace.clone()).or_insert_with(|| Space::new(self.shard_count));
            work(space, now)
        })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("namespace", &self.namespace)
            .field("shard_count", &self.shard_count)
            .finish_non_exhaustive()
    }
}
