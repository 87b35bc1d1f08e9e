//! The engine: opening it, and what is handed out of it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use futures::channel::oneshot;
use steadfast_core::{QueueName, RequestId, ShardId};
use steadfast_store::{Store, StoreError, StoreStats};

use super::bodies::Bodies;
use super::committing::{self, CommitMessage, CommitSender};
use super::keeping::{self, KeepMessage};
use super::reading::{self, Reading};
use super::router::{Router, ThreadMessage};
use super::seat::Seat;
use super::sharding;
use super::shutdown;
use super::threads::{Threads, runtime, spawn, watch};
use super::worker::WorkerBuilder;
use crate::client::Client;
use crate::clock::{EngineClock, SystemClock};
use crate::config::EngineConfig;
use crate::error::OpenError;
use crate::random::{ShardRandom, seed_from_system};
use crate::registry::WorkerId;
use crate::session::SessionKeeper;
use crate::shared::Shared;
use crate::watch::Health;

/// What all handles of an engine share.
pub(crate) struct Inner {
    shared: Arc<Shared>,
    router: Router,
    bodies: Arc<Bodies>,
    committer: CommitSender,
    keeper: Sender<KeepMessage>,
    reader: Sender<Option<Reading>>,
    /// Its end stops the watchdog.
    watchdog: Mutex<Option<Sender<()>>>,
    /// Held to make one id; nothing waits while it is.
    random: Mutex<ShardRandom>,
    workers: AtomicU64,
    /// Held to take the threads out; nothing waits while it is.
    threads: Arc<Mutex<Threads>>,
    /// A runtime of the engine's own.
    runtime: Mutex<Option<tokio::runtime::Runtime>>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("shared", &self.shared).finish_non_exhaustive()
    }
}

/// An engine on a store. Cheap to clone; the last handle that is dropped stops it as if the process had died, so
/// [`Engine::shutdown`] is the way to end one.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<Inner>,
}

impl Engine {
    /// Opens an engine: begins a session and claims the shards. Nothing runs before a worker starts. This blocks
    /// for some calls of the store.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the store does not answer or a thread cannot be started.
    pub fn open(store: Arc<dyn Store>, config: EngineConfig) -> Result<Self, OpenError> {
        config.fail_point("opening");
        let clock: Arc<dyn EngineClock> = match &config.clock {
            Some(clock) => Arc::clone(clock),
            None => Arc::new(SystemClock::open(&*store)?),
        };
        let (handle, runtime) = runtime(&config)?;
        let seed = config.seed.unwrap_or_else(seed_from_system);
        let mut keeper = SessionKeeper::new(config.name.clone(), config.lease);
        let shared = Shared::new(store, config, clock);
        let (router, receivers) = new_router(&shared);
        let bodies = Bodies::new(Arc::clone(&shared), router.clone(), handle);
        let (committer, commit_messages) = mpsc::channel();
        let (keeper_sender, keep_messages) = mpsc::channel();
        let (reader, readings) = mpsc::channel();
        let news = keeper.open(&*shared.store, shared.clock.now())?;
        shared.config.fail_point("claimed");

        let mut threads = Threads::default();
        let links = sharding::Links {
            shared: Arc::clone(&shared),
            router: router.clone(),
            bodies: Arc::clone(&bodies),
            committer: committer.clone(),
        };
        let seats: Vec<_> = receivers.into_iter().map(Seat::new).collect();
        for (index, seat) in seats.iter().enumerate() {
            let (links, seat) = (links.clone(), Arc::clone(seat));
            let name = format!("steadfast-shards-{index}");
            threads.shards.push(spawn(name, "shards", move || sharding::run(links, seat, None))?);
        }
        {
            let (shared, router) = (Arc::clone(&shared), router.clone());
            let work = move || committing::run(&shared, &router, &commit_messages);
            threads.others.push(spawn("steadfast-commit".to_owned(), "commits", work)?);
        }
        let keeping = keeping::Links {
            shared: Arc::clone(&shared),
            router: router.clone(),
            bodies: Arc::clone(&bodies),
            seed,
        };
        keeping.pass_on(news);
        let work = move || keeping::run(&keeping, keeper, &keep_messages);
        threads.others.push(spawn("steadfast-session".to_owned(), "the session", work)?);
        {
            let shared = Arc::clone(&shared);
            let work = move || reading::run(&shared, &readings);
            threads.others.push(spawn("steadfast-read".to_owned(), "lists", work)?);
        }
        let (threads, watchdog) = watch(links, seats, threads)?;
        subscribe(&shared, &router, &keeper_sender);
        let inner = Inner {
            shared,
            router,
            bodies,
            committer,
            keeper: keeper_sender,
            reader,
            watchdog: Mutex::new(Some(watchdog)),
            random: Mutex::new(ShardRandom::new(seed, ShardId(u16::MAX))),
            workers: AtomicU64::new(0),
            threads,
            runtime: Mutex::new(runtime),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A worker of this engine, for one queue.
    pub fn worker(&self, queue: QueueName) -> WorkerBuilder {
        WorkerBuilder::new(Arc::clone(&self.inner), queue)
    }

    /// A client of this engine.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(Arc::clone(&self.inner))
    }

    /// How many bodies have a slot now.
    #[must_use]
    pub fn slots_in_use(&self) -> usize {
        self.inner.shared.dispatcher().in_use()
    }

    /// What the store has written since it was opened, by all who use it.
    #[must_use]
    pub fn store_stats(&self) -> StoreStats {
        self.inner.shared.store.stats()
    }

    /// Whether the engine is fit to go on. Workflow code that uses over 10 s of processor time in one activation, or
    /// does not come back within 60 s, is left its thread; its run is blocked, and all other runs go on with another
    /// thread. An engine that has given up [`crate::GIVEN_UP_MAX`] threads gives up no more and is not healthy.
    #[must_use]
    pub fn health(&self) -> Health {
        Health::of(self.inner.shared.given_up.load(Ordering::Acquire))
    }

    /// Ends the engine: takes nothing more, lets bodies finish for `grace` (the configured one if `None`), hands
    /// the others back, commits what has finished, ends the session and joins the threads. A second call does
    /// nothing.
    pub async fn shutdown(&self, grace: Option<Duration>) {
        let grace = grace.unwrap_or(self.inner.shared.config.shutdown_grace);
        let (done, ended) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let work = move || {
            shutdown::run(&inner, grace);
            drop(inner);
            let _ = done.send(());
        };
        match spawn("steadfast-shutdown".to_owned(), "shutdown", work) {
            // It ends by itself, and is awaited through the channel.
            Ok(thread) => drop(thread),
            Err(error) => tracing::error!(%error, "the engine could not be shut down in order"),
        }
        // An error means that the thread is gone, and with it what was to be waited for.
        let _ = ended.await;
    }
}

fn new_router(shared: &Shared) -> (Router, Vec<mpsc::Receiver<ThreadMessage>>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = shared.config.shard_threads.unwrap_or(cores);
    let count = wanted.clamp(1, usize::from(shared.store.shard_count().max(1)));
    let (senders, receivers) = (0..count).map(|_| mpsc::channel()).unzip();
    (Router::new(senders), receivers)
}

fn subscribe(shared: &Shared, router: &Router, keeper: &Sender<KeepMessage>) {
    let (router, keeper) = (router.clone(), keeper.clone());
    shared.clock.subscribe(Box::new(move || {
        router.broadcast(|| ThreadMessage::Wake);
        // A keeper that has ended need not know the time.
        drop(keeper.send(KeepMessage::Wake));
    }));
}

impl Inner {
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn router(&self) -> &Router {
        &self.router
    }

    pub(super) fn bodies(&self) -> &Arc<Bodies> {
        &self.bodies
    }

    pub(super) fn keeper(&self) -> &Sender<KeepMessage> {
        &self.keeper
    }

    pub(crate) fn shard_count(&self) -> u16 {
        self.shared.store.shard_count()
    }

    pub(crate) fn new_request_id(&self) -> RequestId {
        let random =
            self.random.lock().unwrap_or_else(PoisonError::into_inner).run_id(self.shared.clock.now());
        #[expect(clippy::expect_used, reason = "the text of a UUID is a valid id")]
        RequestId::new(random.to_string()).expect("a UUID is a valid request id")
    }

    pub(crate) fn new_worker_id(&self) -> WorkerId {
        WorkerId(self.workers.fetch_add(1, Ordering::Relaxed))
    }

    /// Reads the store on the thread for it; what was read is durable when it is answered.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, StoreError>> {
        let (reply, answer) = oneshot::channel();
        let reading: Reading = Box::new(move |store| {
            let value = read(store).and_then(|value| reading::settle(store).map(|()| value));
            drop(reply.send(value));
        });
        // Without a reader the engine has stopped: the caller sees the answer cancelled.
        drop(self.reader.send(Some(reading)));
        answer
    }

    /// Takes the threads out that are not of shards, so that they are joined once.
    pub(super) fn take_others(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut self.threads.lock().unwrap_or_else(PoisonError::into_inner).others)
    }

    /// The threads of shards that are there now; those that were given up are not among them.
    pub(super) fn take_shards(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut self.threads.lock().unwrap_or_else(PoisonError::into_inner).shards)
    }

    /// Tells the threads to end, those that produce before those that consume.
    pub(super) fn stop_shards(&self) {
        self.router.broadcast(|| ThreadMessage::Stop);
    }

    pub(super) fn stop_others(&self) {
        drop(self.committer.send(CommitMessage::Stop));
        drop(self.keeper.send(KeepMessage::Stop));
        drop(self.reader.send(None));
        drop(self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    pub(super) fn stop_runtime(&self) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.bodies.stop_all(crate::activity::Stop::Drop);
        self.stop_shards();
        self.stop_others();
        self.stop_runtime();
    }
}
