//! What all parts of one engine share.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use steadfast_core::Timestamp;
use steadfast_store::Store;

use crate::clock::EngineClock;
use crate::config::EngineConfig;
use crate::dispatch::{Breakers, Dispatcher};
use crate::message::Moment;
use crate::registry::Registry;

/// What all parts of one engine share.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) config: EngineConfig,
    pub(crate) clock: Arc<dyn EngineClock>,
    /// Read when a run is loaded, written when a worker starts or stops.
    registry: RwLock<Registry>,
    /// Held for one question or one change; nothing waits while it is.
    dispatcher: Mutex<Dispatcher>,
    /// When a circuit breaker is tried again, in microseconds; what the dispatcher tells.
    next_trial: Arc<AtomicU64>,
    /// Calls that change something are refused.
    is_stopping: AtomicBool,
    /// How many threads were left to workflow code that did not come back.
    pub(crate) given_up: AtomicUsize,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn new(store: Arc<dyn Store>, config: EngineConfig, clock: Arc<dyn EngineClock>) -> Arc<Self> {
        let next_trial = Arc::new(AtomicU64::new(u64::MAX));
        let dispatcher = Dispatcher::new(Breakers::read(&*store), Arc::clone(&next_trial));
        Arc::new(Self {
            store,
            config,
            clock,
            registry: RwLock::default(),
            dispatcher: Mutex::new(dispatcher),
            next_trial,
            is_stopping: AtomicBool::new(false),
            given_up: AtomicUsize::new(0),
        })
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment { now: self.clock.now(), wall: self.clock.wall() }
    }

    pub(crate) fn registry(&self) -> RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn registry_mut(&self) -> RwLockWriteGuard<'_, Registry> {
        self.registry.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dispatcher(&self) -> MutexGuard<'_, Dispatcher> {
        self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When a circuit breaker is tried again.
    pub(crate) fn next_trial(&self) -> Option<Timestamp> {
        let at = self.next_trial.load(Ordering::Acquire);
        (at < u64::MAX).then(|| Timestamp::from_micros(at))
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    /// Nothing new is taken and nothing is granted from now on.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Release);
        self.dispatcher().stop();
    }
}
