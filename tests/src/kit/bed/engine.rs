//! Opening, killing and reopening the engine.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use steadfast::{Client, Engine, EngineClock as _, EngineConfig, ManualClock, Timestamp, WorkerBuilder};

use crate::kit::case::StoreKind;
use crate::kit::gate::Gate;
use crate::kit::ledger::Ledger;
use crate::kit::life::Life;
use crate::kit::place::Place;
use crate::kit::story::Names;

/// The queue of [`Bed::serve`] and [`Bed::start`].
pub const QUEUE: &str = "tours";

/// Where the clock of a bed begins.
pub(in crate::kit) const BEGINNING: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

type Register = Arc<dyn Fn(WorkerBuilder, Ledger) -> WorkerBuilder + Send + Sync>;
type Configure = Arc<dyn Fn(EngineConfig) -> EngineConfig + Send + Sync>;

struct Running {
    engine: Engine,
    gate: Arc<Gate>,
}

/// An engine on a store, which can be killed and comes back with the same workers.
///
/// The clock stands still until [`advance`](Bed::advance); the seed is fixed.
pub struct Bed {
    kind: StoreKind,
    clock: Arc<ManualClock>,
    place: Place,
    ledger: Ledger,
    names: Arc<Mutex<Names>>,
    configure: Configure,
    workers: Vec<(String, Register)>,
    lives: u32,
    running: Option<Running>,
}

impl fmt::Debug for Bed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bed").field("kind", &self.kind).field("lives", &self.lives).finish_non_exhaustive()
    }
}

impl Bed {
    /// An engine on a new store, without a worker.
    ///
    /// # Errors
    ///
    /// If the store or the engine cannot be opened.
    pub async fn new(kind: StoreKind) -> anyhow::Result<Self> {
        Self::with(kind, |config| config).await
    }

    /// The same with other settings; `configure` holds for the engines after it, too.
    ///
    /// # Errors
    ///
    /// If the store or the engine cannot be opened.
    pub async fn with(
        kind: StoreKind,
        configure: impl Fn(EngineConfig) -> EngineConfig + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let clock = Arc::new(ManualClock::new(BEGINNING));
        let mut bed = Self {
            kind,
            place: Place::new(kind, &clock)?,
            ledger: Ledger::new(Arc::clone(&clock), Life::new(0)),
            clock,
            names: Arc::default(),
            configure: Arc::new(configure),
            workers: Vec::new(),
            lives: 0,
            running: None,
        };
        bed.reopen().await?;
        Ok(bed)
    }

    /// Starts a worker of the queue [`QUEUE`], in this engine and in those that come after it. The ledger that
    /// `register` gets is for the activities of that engine.
    ///
    /// # Errors
    ///
    /// If the worker cannot be started.
    pub async fn serve(
        &mut self,
        register: impl Fn(WorkerBuilder, Ledger) -> WorkerBuilder + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        self.serve_queue(QUEUE, register).await
    }

    /// [`serve`](Bed::serve) for another queue.
    ///
    /// # Errors
    ///
    /// If the worker cannot be started.
    pub async fn serve_queue(
        &mut self,
        queue: &str,
        register: impl Fn(WorkerBuilder, Ledger) -> WorkerBuilder + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let register: Register = Arc::new(register);
        self.start_worker(queue, &register).await?;
        self.workers.push((queue.to_owned(), register));
        Ok(())
    }

    async fn start_worker(&self, queue: &str, register: &Register) -> anyhow::Result<()> {
        register(self.engine().worker(queue), self.ledger()).start().await?;
        Ok(())
    }

    /// Forgets the workers: the next engine has none until [`serve`](Bed::serve).
    pub fn forget_workers(&mut self) {
        self.workers.clear();
    }

    fn running(&self) -> &Running {
        let Some(running) = &self.running else { panic!("the engine was killed and not opened again") };
        running
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.running().engine
    }

    /// A client of the engine.
    #[must_use]
    pub fn client(&self) -> Client {
        self.engine().client()
    }

    /// The gate between the engine and its store.
    #[must_use]
    pub fn gate(&self) -> &Arc<Gate> {
        &self.running().gate
    }

    /// The service outside.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.ledger.clone()
    }

    /// Which store it is.
    #[must_use]
    pub fn kind(&self) -> StoreKind {
        self.kind
    }

    /// The clock of engines, store and service.
    #[must_use]
    pub fn clock(&self) -> &Arc<ManualClock> {
        &self.clock
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the clock on.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
        self.place.tell_time(&self.clock);
    }

    /// Moves the clock on to a point in time, if that is later.
    pub fn advance_to(&self, to: Timestamp) {
        self.clock.advance_to(to);
        self.place.tell_time(&self.clock);
    }

    /// Ends the engine at once, as if its process had died, and closes the store.
    pub fn kill(&mut self) {
        if let Some(Running { engine, gate }) = self.running.take() {
            gate.sever();
            drop(engine);
        }
    }

    /// Ends the engine in order, letting bodies finish for `grace`, and closes the store.
    pub async fn shutdown(&mut self, grace: Duration) {
        if let Some(Running { engine, gate }) = self.running.take() {
            engine.shutdown_within(grace).await;
            gate.sever();
        }
    }

    /// Opens store and engine again and starts the workers.
    ///
    /// # Errors
    ///
    /// If one of them cannot be opened or started.
    pub async fn reopen(&mut self) -> anyhow::Result<()> {
        self.kill();
        self.lives += 1;
        let life = Life::new(self.lives);
        self.ledger = self.ledger.for_life(life.clone());
        let store = self.place.open(&self.clock)?;
        let gate = Arc::new(Gate::new(store, Arc::clone(&self.names), life));
        let config = (self.configure)(EngineConfig {
            name: format!("bed {}", self.lives),
            shard_threads: Some(1),
            seed: Some(u64::from(self.lives)),
            clock: Some(Arc::clone(&self.clock) as _),
            ..EngineConfig::default()
        });
        let engine = Engine::with_store(Arc::clone(&gate) as _, config).await?;
        self.running = Some(Running { engine, gate });
        for (queue, register) in &self.workers {
            self.start_worker(queue, register).await?;
        }
        Ok(())
    }

    /// [`kill`](Bed::kill), then [`reopen`](Bed::reopen).
    ///
    /// # Errors
    ///
    /// If store, engine or workers cannot be opened or started again.
    pub async fn kill_and_restart(&mut self) -> anyhow::Result<()> {
        self.kill();
        self.reopen().await
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.kill();
    }
}
