//! Running bodies: which run now, and how they are told to stop.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::router::Router;
use super::supervise::{Report, supervise};
use crate::activity::{AttemptKey, Line, Stop};
use crate::message::Attempt;
use crate::shared::Shared;

/// All bodies of an engine that run now.
pub(crate) struct Bodies {
    pub(super) shared: Arc<Shared>,
    pub(super) router: Router,
    runtime: tokio::runtime::Handle,
    /// Held for one lookup or one change; nothing waits while it is, except for `changed`.
    running: Mutex<BTreeMap<AttemptKey, watch::Sender<Stop>>>,
    changed: Condvar,
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bodies").field("running", &self.table().len()).finish_non_exhaustive()
    }
}

impl Bodies {
    pub(crate) fn new(shared: Arc<Shared>, router: Router, runtime: tokio::runtime::Handle) -> Arc<Self> {
        Arc::new(Self { shared, router, runtime, running: Mutex::default(), changed: Condvar::new() })
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<AttemptKey, watch::Sender<Stop>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an attempt.
    pub(crate) fn begin(self: &Arc<Self>, attempt: Attempt) {
        let (sender, stop) = watch::channel(Stop::Run);
        let line = Line::new(attempt.info.clone(), stop);
        self.table().insert(attempt.key, sender);
        // The task ends when its body does or when it is told to stop; the table says which are there.
        let report = Report::new(Arc::clone(self), attempt.key, line);
        drop(self.runtime.spawn(supervise(report, attempt)));
    }

    /// Tells a body to stop; one that is over need not know.
    pub(crate) fn stop(&self, key: AttemptKey, stop: Stop) {
        if let Some(sender) = self.table().get(&key) {
            raise(sender, stop);
        }
    }

    /// Tells all bodies to stop.
    pub(crate) fn stop_all(&self, stop: Stop) {
        for sender in self.table().values() {
            raise(sender, stop);
        }
    }

    /// A body is over, and its shard has been told.
    pub(super) fn ended(&self, key: AttemptKey) {
        self.table().remove(&key);
        self.changed.notify_all();
    }

    /// Waits until no body runs, at most this long. Says whether none does.
    pub(crate) fn wait_until_none(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut table = self.table();
        while !table.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            table = self.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// A body that was told something stronger is not told something weaker.
fn raise(sender: &watch::Sender<Stop>, stop: Stop) {
    sender.send_if_modified(|now| {
        let is_more = stop > *now;
        if is_more {
            *now = stop;
        }
        is_more
    });
}
