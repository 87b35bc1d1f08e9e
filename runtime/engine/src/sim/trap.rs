//! Workflow code that does not come back, now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::watch::Watch;

/// Gives the thread up at every so many-th time that workflow code has run.
pub(super) struct Trap {
    /// How often code runs between two times; zero for never.
    every: AtomicU64,
    passed: AtomicU64,
    /// Each life of the thread has its own.
    watch: Mutex<Arc<Watch>>,
}

impl Trap {
    pub(super) fn new(every: Option<u64>) -> Arc<Self> {
        let (every, passed) = (AtomicU64::new(every.unwrap_or(0)), AtomicU64::new(0));
        Arc::new(Self { every, passed, watch: Mutex::default() })
    }

    pub(super) fn watch(&self) -> Arc<Watch> {
        Arc::clone(&self.watch.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The thread is another one now.
    pub(super) fn renew(&self) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    pub(super) fn disarm(&self) {
        self.every.store(0, Ordering::Relaxed);
    }

    /// A fail point of the engine is passed.
    pub(super) fn pass(&self, name: &str) {
        let every = self.every.load(Ordering::Relaxed);
        if name != "code-ran" || every == 0 {
            return;
        }
        let count = self.passed.fetch_add(1, Ordering::Relaxed) + 1;
        let watch = self.watch();
        if count.is_multiple_of(every)
            && let Some(spell) = watch.look()
        {
            watch.give_up(spell.number);
        }
    }
}
