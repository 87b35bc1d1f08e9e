//! The threads of an engine.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::seat::Seat;
use super::sharding;
use super::watchdog::Watchdog;
use crate::config::EngineConfig;
use crate::error::OpenError;

/// Threads of an engine, to be joined when it stops.
#[derive(Debug, Default)]
pub(super) struct Threads {
    pub(super) shards: Vec<JoinHandle<()>>,
    pub(super) others: Vec<JoinHandle<()>>,
}

/// Where bodies run: the configured runtime, the one that is there, or one of the engine's own.
pub(super) fn runtime(
    config: &EngineConfig,
) -> Result<(tokio::runtime::Handle, Option<tokio::runtime::Runtime>), OpenError> {
    let running = config.runtime.clone().or_else(|| tokio::runtime::Handle::try_current().ok());
    if let Some(handle) = running {
        return Ok((handle, None));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("steadfast-bodies")
        .build()
        .map_err(OpenError::Runtime)?;
    Ok((runtime.handle().clone(), Some(runtime)))
}

/// Starts the watchdog, which replaces threads of shards among `threads`.
pub(super) fn watch(
    links: sharding::Links,
    seats: Vec<Arc<Seat>>,
    threads: Threads,
) -> Result<(Arc<Mutex<Threads>>, Sender<()>), OpenError> {
    let threads = Arc::new(Mutex::new(threads));
    let watchdog = Watchdog::new(links, seats, Arc::clone(&threads));
    let (sender, stop) = mpsc::channel();
    let thread = spawn("steadfast-watch".to_owned(), "the watchdog", move || watchdog.run(&stop))?;
    threads.lock().unwrap_or_else(PoisonError::into_inner).others.push(thread);
    Ok((threads, sender))
}

pub(super) fn spawn(
    name: String,
    what: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, OpenError> {
    std::thread::Builder::new().name(name).spawn(work).map_err(|error| OpenError::Thread(what, error))
}
