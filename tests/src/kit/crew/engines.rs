//! Opening and ending the engines of a crew.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use steadfast::store::{SessionRow, Store};
use steadfast::{Client, Engine, EngineClock as _, EngineConfig, ManualClock, Timestamp, WorkerBuilder};

use crate::kit::bed::{BEGINNING, QUEUE};
use crate::kit::case::StoreKind;
use crate::kit::gate::Gate;
use crate::kit::ledger::Ledger;
use crate::kit::life::Life;
use crate::kit::place::Place;
use crate::kit::story::Names;

type Register = Arc<dyn Fn(WorkerBuilder, Ledger) -> WorkerBuilder + Send + Sync>;

/// How far the clock of an engine is from the store's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skew {
    /// They agree.
    None,
    /// The engine's is ahead.
    Ahead(Duration),
    /// The engine's is behind.
    Behind(Duration),
}

pub(super) struct Member {
    pub(super) engine: Engine,
    pub(super) gate: Arc<Gate>,
    pub(super) clock: Arc<ManualClock>,
    /// How far its clock has fallen behind while it was frozen.
    pub(super) asleep: Option<Duration>,
}

/// Several engines on one store, each with a gate and a clock of its own, all with the same worker.
///
/// One process holds a directory, so engines on sled share an open store as several engines of one process do; what
/// one of them owns is decided there as on any other store. Time stands still until [`advance`](Crew::advance).
pub struct Crew {
    pub(super) store: Arc<dyn Store>,
    pub(super) memory: Option<steadfast::store::MemoryStore>,
    pub(super) time: Arc<ManualClock>,
    ledger: Ledger,
    names: Arc<Mutex<Names>>,
    pub(super) lease: Duration,
    register: Register,
    lives: u32,
    pub(super) members: BTreeMap<&'static str, Member>,
    /// Until it is dropped, last, the directory is there.
    _place: Place,
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew").field("members", &self.members.keys()).finish_non_exhaustive()
    }
}

impl Crew {
    /// A store without an engine. Every engine will have a session with this lease, and a worker of the queue
    /// [`QUEUE`] as `register` says.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened.
    pub fn new(
        kind: StoreKind,
        lease: Duration,
        register: impl Fn(WorkerBuilder, Ledger) -> WorkerBuilder + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let time = Arc::new(ManualClock::new(BEGINNING));
        let place = Place::new(kind, &time)?;
        Ok(Self {
            store: place.open(&time)?,
            memory: place.memory(),
            ledger: Ledger::new(Arc::clone(&time), Life::new(0)),
            time,
            names: Arc::default(),
            lease,
            register: Arc::new(register),
            lives: 0,
            members: BTreeMap::new(),
            _place: place,
        })
    }

    /// Opens an engine and starts its worker.
    ///
    /// # Errors
    ///
    /// If that fails.
    pub async fn open(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.open_skewed(name, Skew::None).await
    }

    /// The same with a clock that is wrong.
    ///
    /// # Errors
    ///
    /// If that fails.
    pub async fn open_skewed(&mut self, name: &'static str, skew: Skew) -> anyhow::Result<()> {
        self.kill(name);
        self.lives += 1;
        let life = Life::new(self.lives);
        let micros = |by: Duration| u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        let now = match skew {
            Skew::None => self.now(),
            Skew::Ahead(by) => self.now().after(by),
            Skew::Behind(by) => Timestamp::from_micros(self.now().as_micros().saturating_sub(micros(by))),
        };
        let clock = Arc::new(ManualClock::new(now));
        let gate = Arc::new(Gate::new(Arc::clone(&self.store), Arc::clone(&self.names), life.clone()));
        let config = EngineConfig {
            name: name.to_owned(),
            lease: self.lease,
            shard_threads: Some(1),
            seed: Some(u64::from(self.lives)),
            clock: Some(Arc::clone(&clock) as _),
            ..EngineConfig::default()
        };
        let engine = Engine::with_store(Arc::clone(&gate) as _, config).await?;
        (self.register)(engine.worker(QUEUE), self.ledger.for_life(life)).start().await?;
        self.members.insert(name, Member { engine, gate, clock, asleep: None });
        Ok(())
    }

    pub(super) fn member(&self, name: &str) -> &Member {
        let Some(member) = self.members.get(name) else { panic!("there is no engine {name}") };
        member
    }

    /// An engine.
    ///
    /// # Panics
    ///
    /// If it was not opened, or killed.
    #[must_use]
    pub fn engine(&self, name: &str) -> &Engine {
        &self.member(name).engine
    }

    /// A client of an engine.
    #[must_use]
    pub fn client(&self, name: &str) -> Client {
        self.engine(name).client()
    }

    /// The gate between an engine and the store.
    #[must_use]
    pub fn gate(&self, name: &str) -> &Arc<Gate> {
        &self.member(name).gate
    }

    /// The clock of an engine.
    #[must_use]
    pub fn clock(&self, name: &str) -> &Arc<ManualClock> {
        &self.member(name).clock
    }

    /// The number that the calls of an engine have in the ledger.
    #[must_use]
    pub fn life(&self, name: &str) -> u32 {
        self.gate(name).life().number()
    }

    /// The store, as it is behind the gates.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The service outside.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.ledger.clone()
    }

    /// What the clock of the store says.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.time.now()
    }

    /// The session of an engine, as the store has it.
    ///
    /// # Errors
    ///
    /// If it has none.
    pub fn session(&self, name: &str) -> anyhow::Result<SessionRow> {
        let rows = self.store.sessions()?;
        rows.into_iter().find(|row| row.name == name).with_context(|| format!("{name} has no session"))
    }

    /// Ends an engine at once, as if its process had died; its session stays in the store.
    pub fn kill(&mut self, name: &str) {
        if let Some(member) = self.members.remove(name) {
            member.gate.sever();
            drop(member.engine);
        }
    }

    /// Ends an engine in order.
    pub async fn shutdown(&mut self, name: &str) {
        if let Some(member) = self.members.remove(name) {
            member.engine.shutdown_within(Duration::ZERO).await;
            member.gate.sever();
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for name in self.members.keys().copied().collect::<Vec<_>>() {
            self.kill(name);
        }
    }
}
