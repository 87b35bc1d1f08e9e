//! A place where bodies run one after the other, in the order in which they were granted.

use std::sync::Arc;
use std::thread::JoinHandle;

use steadfast_tests::kit::TestResult;
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

/// A runtime of one thread. Results of bodies that do not wait come in the order of their grants.
pub(crate) struct Bodies {
    handle: Handle,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Bodies {
    pub(crate) fn new() -> TestResult<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, stop) = (runtime.handle().clone(), Arc::new(Notify::new()));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || runtime.block_on(told.notified()));
        Ok(Self { handle, stop, thread: Some(thread) })
    }

    pub(crate) fn handle(&self) -> Handle {
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
