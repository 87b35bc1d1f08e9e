//! Time in a simulation: the store's clock moves, and each engine reads it in its own way.

use std::sync::atomic::{AtomicI64, Ordering};

use steadfast_core::Timestamp;
use steadfast_store::{MemoryStore, Sessions};

use crate::clock::EngineClock;

/// The clocks of one engine. Engine time began at the store's time, read with an error; the wall clock can be set.
pub(super) struct NodeClock {
    store: MemoryStore,
    base: Timestamp,
    opened: Timestamp,
    /// How far the wall clock is off, in microseconds.
    wall_shift: AtomicI64,
}

impl NodeClock {
    pub(super) fn new(store: MemoryStore, base: Timestamp) -> Self {
        let opened = world_now(&store);
        Self { store, base, opened, wall_shift: AtomicI64::new(0) }
    }

    /// Sets the wall clock; engine time goes on.
    pub(super) fn set_wall_shift(&self, micros: i64) {
        self.wall_shift.store(micros, Ordering::Relaxed);
    }
}

/// The time by which the world moves.
pub(super) fn world_now(store: &MemoryStore) -> Timestamp {
    store.now().unwrap_or(Timestamp::ZERO)
}

impl EngineClock for NodeClock {
    fn now(&self) -> Timestamp {
        self.base.after(world_now(&self.store).since(self.opened))
    }

    fn wall(&self) -> Timestamp {
        let shift = self.wall_shift.load(Ordering::Relaxed);
        Timestamp::from_micros(self.now().as_micros().saturating_add_signed(shift))
    }

    fn wait_until(&self, _until: Timestamp) -> Option<std::time::Duration> {
        None
    }

    fn subscribe(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}
