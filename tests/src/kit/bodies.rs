//! A place where bodies run one after the other, in the order in which they were granted.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

use crate::kit::case::TestResult;

/// A runtime of one thread. Results of bodies that do not wait come in the order of their grants.
#[derive(Debug)]
pub struct Bodies {
    handle: Handle,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Bodies {
    /// A place of its own.
    ///
    /// # Errors
    ///
    /// If the runtime cannot be made.
    pub fn new() -> TestResult<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, stop) = (runtime.handle().clone(), Arc::new(Notify::new()));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || runtime.block_on(told.notified()));
        Ok(Self { handle, stop, thread: Some(thread) })
    }

    /// What an engine is told as its runtime.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }
}

impl Drop for Bodies {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A body that panicked has said so.
            drop(thread.join());
        }
    }
}
