//! How much room a store has left, and what it has written: figures, no rows.

/// Whether a store has room for new runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// New runs may start.
    Enough,
    /// Less is free than the configured reserve: refuse new runs, let those that exist go on.
    Low {
        /// Bytes that are free.
        free: u64,
        /// Bytes that must be free for a new run.
        reserve: u64,
    },
}

/// What was written through a store since it was opened. Counts only ever rise; take differences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Groups with at least one committed transition.
    pub groups: u64,
    /// Committed transitions.
    pub transitions: u64,
    /// Keys (or rows) written by transitions, each chunk of a large value counted.
    pub keys_put: u64,
    /// Keys (or rows) deleted by transitions.
    pub keys_deleted: u64,
    /// Keys that the store wrote for itself: session rows, shard rows, claims, one commit counter a group.
    pub keys_own: u64,
    /// Syncs that a caller waited for.
    pub syncs: u64,
}

impl StoreStats {
    /// Keys that transitions wrote or deleted.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.keys_put + self.keys_deleted
    }

    /// What was written since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            groups: self.groups - earlier.groups,
            transitions: self.transitions - earlier.transitions,
            keys_put: self.keys_put - earlier.keys_put,
            keys_deleted: self.keys_deleted - earlier.keys_deleted,
            keys_own: self.keys_own - earlier.keys_own,
            syncs: self.syncs - earlier.syncs,
        }
    }
}
