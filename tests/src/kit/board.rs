//! A value that others change and tests wait for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// How long a test waits for something that has to happen.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(super) struct Board<T> {
    /// Held for one look or one change; nothing waits while it is, except for `changed`.
    value: Mutex<T>,
    changed: Condvar,
    told: watch::Sender<()>,
}

impl<T> Board<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Condvar::new(), told: watch::Sender::new(()) }
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.lock())
    }

    pub(super) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        self.told.send_replace(());
        result
    }

    /// Waits until something is so; fails if that takes too long.
    pub(super) async fn until(&self, what: &str, is_so: impl Fn(&T) -> bool) -> anyhow::Result<()> {
        let mut told = self.told.subscribe();
        let wait = async {
            while !self.read(&is_so) {
                // The sender lives as long as `self`.
                let _ = told.changed().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, wait).await;
        waited.map_err(|_| anyhow::anyhow!("not within {PATIENCE:?}: {what}"))
    }

    /// The same without a limit, for what is told when it may go on.
    pub(super) async fn until_so(&self, is_so: impl Fn(&T) -> bool) {
        let mut told = self.told.subscribe();
        while !self.read(&is_so) {
            let _ = told.changed().await;
        }
    }

    /// The same for threads.
    pub(super) fn block_until(&self, is_so: impl Fn(&T) -> bool) {
        let mut value = self.lock();
        while !is_so(&value) {
            value = self.changed.wait(value).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
