//! The engine as programs use it: opened by the address of its store.

mod store_url;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;
use steadfast_core::InvalidId;
use steadfast_engine::{EngineConfig, Health};
use steadfast_store::{Store, StoreError, StoreStats};

pub use self::worker::{Worker, WorkerBuilder, WorkerError};
use crate::client::Client;

/// Runs workflows and activities on a store. Cheap to clone.
///
/// One engine holds an embedded store at a time. It does nothing until a [worker](Engine::worker) is started; then it
/// goes on with every run that the store holds.
///
/// ```
/// use steadfast::prelude::*;
///
/// #[activity]
/// async fn greet(name: String) -> Result<String, AnyFailure> {
///     Ok(format!("Hello, {name}!"))
/// }
///
/// #[workflow]
/// async fn welcome(ctx: WorkflowContext, name: String) -> Result<String, WorkflowError> {
///     Ok(greet(&ctx, name).await?)
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = Engine::open("./greetings").await?;
/// engine.worker("hello").workflow(welcome).activity(greet).start().await?;
/// let handle = engine.client().start(welcome, "Ada".to_owned()).id("welcome-ada").queue("hello").await?;
/// assert_eq!(handle.result().await?, "Hello, Ada!");
/// engine.shutdown().await;
/// # Ok(()) }
/// ```
///
/// Dropping the last handle stops the engine as if the process had died: nothing that was acknowledged is lost, but
/// bodies that run are run again. [`shutdown`](Engine::shutdown) ends it in order.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: steadfast_engine::Engine,
}

impl Engine {
    /// Opens the store at `url` with the usual settings.
    ///
    /// | Address | Store |
    /// | --- | --- |
    /// | `./dir`, `/dir`, `sled:./dir` | a directory of this machine, made if it is missing |
    /// | `memory:` | memory: a new and empty store each time, for tests |
    ///
    /// # Errors
    ///
    /// [`OpenError`] if there is no such store, another process holds it, or it was made by something else.
    pub async fn open(url: impl AsRef<str>) -> Result<Self, OpenError> {
        Self::open_with(url, EngineConfig::default()).await
    }

    /// Opens the store at `url`, with settings.
    ///
    /// # Errors
    ///
    /// As [`Engine::open`].
    pub async fn open_with(url: impl AsRef<str>, config: EngineConfig) -> Result<Self, OpenError> {
        let url = url.as_ref().to_owned();
        Self::opened(config, move || store_url::open(&url)).await
    }

    /// Opens an engine on a store that is open already: one of another kind, or one that several engines share.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the store does not answer.
    pub async fn with_store(store: Arc<dyn Store>, config: EngineConfig) -> Result<Self, OpenError> {
        Self::opened(config, move || Ok(store)).await
    }

    /// Opens store and engine on a thread of their own, because both block.
    async fn opened(
        mut config: EngineConfig,
        store: impl FnOnce() -> Result<Arc<dyn Store>, OpenError> + Send + 'static,
    ) -> Result<Self, OpenError> {
        config.runtime = config.runtime.or_else(|| tokio::runtime::Handle::try_current().ok());
        let (done, opened) = oneshot::channel();
        let open = move || {
            let opened = store().and_then(|store| Ok(steadfast_engine::Engine::open(store, config)?));
            // The caller may have gone; the engine is then dropped here, which closes the store.
            drop(done.send(opened));
        };
        std::thread::Builder::new()
            .name("steadfast-open".to_owned())
            .spawn(open)
            .map_err(OpenError::Thread)?;
        let inner = opened.await.map_err(|oneshot::Canceled| OpenError::Panicked)??;
        Ok(Self { inner })
    }

    /// A worker for the task queue `queue`: tell it what it serves, then start it.
    pub fn worker(&self, queue: impl AsRef<str>) -> WorkerBuilder {
        WorkerBuilder::new(&self.inner, queue.as_ref())
    }

    /// A client of this engine.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.inner.client())
    }

    /// Ends the engine: takes nothing more, lets bodies that run finish for the grace of its settings, gives the
    /// others back, writes what has finished, and closes the store. A second call does nothing.
    pub async fn shutdown(&self) {
        self.inner.shutdown(None).await;
    }

    /// [`shutdown`](Engine::shutdown) with another grace.
    pub async fn shutdown_within(&self, grace: Duration) {
        self.inner.shutdown(Some(grace)).await;
    }

    /// Whether the engine is fit to go on: workflow code that does not come back takes a thread with it.
    #[must_use]
    pub fn health(&self) -> Health {
        self.inner.health()
    }

    /// How many bodies run now.
    #[must_use]
    pub fn slots_in_use(&self) -> usize {
        self.inner.slots_in_use()
    }

    /// What the store has written since it was opened: groups, keys and syncs.
    #[must_use]
    pub fn store_stats(&self) -> StoreStats {
        self.inner.store_stats()
    }
}

/// An engine that could not be opened. The files or tables are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The address names a store that this build does not have.
    #[error("`{scheme}:` is no store of this build; known are {known}")]
    UnknownStore {
        /// What stands before the colon.
        scheme: String,
        /// The addresses that would do.
        known: String,
    },
    /// The address is not a valid one.
    #[error("`{url}` is not the address of a store: {problem}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// The store cannot be opened.
    #[error("the store at `{url}` cannot be opened")]
    Store {
        /// The address.
        url: String,
        /// Why.
        #[source]
        source: StoreError,
    },
    /// A name is not a valid one.
    #[error(transparent)]
    Name(#[from] InvalidId),
    /// The engine cannot begin.
    #[error(transparent)]
    Engine(#[from] steadfast_engine::OpenError),
    /// No thread can be started.
    #[error("no thread to open the store")]
    Thread(#[source] std::io::Error),
    /// The store or the engine panicked while it was opened.
    #[error("the store or the engine panicked while it was opened")]
    Panicked,
}
