//! What an engine of a simulation is made of, and how it is opened.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use steadfast_core::{ActivityOptions, Payload, QueueName, SessionId, ShardId, Timestamp};
use steadfast_store::faults::{Call, FaultPlan, FaultRates, FaultStore, Phase};
use steadfast_store::{Commits, Sessions, Store, StoreError};

use super::super::dice::Dice;
use super::super::fuse::Fuse;
use super::super::plan::{SimSabotage, Simulation};
use super::super::report::SimCounts;
use super::super::time::{NodeClock, world_now};
use super::super::trap::Trap;
use super::super::watched::WatchedStore;
use super::leaving::Leaving;
use super::line::Line;
use super::thief::Thief;
use crate::activity::{ActivityBody, AttemptInfo, AttemptKey};
use crate::clock::EngineClock;
use crate::committer::Committer;
use crate::config::{EngineConfig, Sabotage};
use crate::message::{Attempt, ShardMessage};
use crate::registry::{WorkerId, WorkerSpec};
use crate::session::SessionKeeper;
use crate::shard::Shard;
use crate::shared::Shared;

/// How long a session of the simulation lives unless it is renewed.
pub(in super::super) const LEASE: Duration = Duration::from_secs(30);
/// How far an engine's reading of the store's time is off at most, in milliseconds, either way.
const SKEW_MAX: u64 = 5_000;

/// A body that runs.
pub(in super::super) struct Running {
    pub(in super::super) attempt: Attempt,
    pub(in super::super) is_cancelled: bool,
}

/// What an engine is opened with.
pub(in super::super) struct Opening<'a> {
    pub(in super::super) plan: &'a Simulation,
    pub(in super::super) store: &'a WatchedStore,
    pub(in super::super) dice: &'a mut Dice,
    pub(in super::super) is_calm: bool,
}

/// One engine.
pub(in super::super) struct Node {
    pub(in super::super) shared: Arc<Shared>,
    pub(in super::super) clock: Arc<NodeClock>,
    pub(in super::super) fuse: Arc<Fuse>,
    pub(super) faults: FaultStore<WatchedStore>,
    pub(super) rates: FaultRates,
    pub(super) thief: Arc<Thief>,
    pub(super) dice: Dice,
    pub(super) seed: u64,
    /// Where workflow code does not come back, now and then.
    pub(super) trap: Arc<Trap>,
    pub(super) keeper: SessionKeeper,
    pub(super) shards: BTreeMap<ShardId, Shard>,
    pub(in super::super) inboxes: BTreeMap<ShardId, VecDeque<ShardMessage>>,
    pub(super) committer: Committer,
    pub(super) line: Line,
    pub(in super::super) running: BTreeMap<AttemptKey, Running>,
    /// Bodies that were told to stop and come to their end all the same.
    pub(in super::super) runaways: Vec<Running>,
    /// Attempts begun since the last look.
    pub(in super::super) begun: Vec<(AttemptKey, AttemptInfo)>,
    /// Until when the engine sleeps and does nothing, by the world's time.
    pub(in super::super) asleep_until: Timestamp,
    /// For how many actions no call reaches the store.
    pub(in super::super) outage_left: u64,
    pub(super) leaving: Option<Leaving>,
    pub(in super::super) counts: SimCounts,
    /// A step of a shard panicked.
    pub(in super::super) fault: Option<String>,
}

impl Node {
    /// Opens an engine. It may die while it does: then its fuse says where.
    pub(in super::super) fn open(opening: Opening<'_>) -> Result<Self, Arc<Fuse>> {
        let Opening { plan, store, dice, is_calm } = opening;
        let fuse = if is_calm { Fuse::never() } else { Fuse::draw(dice) };
        let thief = Thief::new(store.clone(), dice.next());
        let faults = if is_calm { FaultPlan::none() } else { FaultPlan::seeded(dice.next(), plan.faults) };
        let (burning, waiting) = (Arc::clone(&fuse), Arc::clone(&thief));
        let faults = FaultStore::new(store.clone(), faults).with_hook(move |call: Call| {
            if call.phase == Phase::Delayed {
                waiting.delay();
            }
            burning.burn(call)
        });
        let trap = Trap::new((!is_calm).then(|| 3 + dice.below(60)));
        Self::open_on(plan, dice, faults, Parts { fuse: Arc::clone(&fuse), thief, trap }).map_err(|_| fuse)
    }

    fn open_on(
        plan: &Simulation,
        dice: &mut Dice,
        faults: FaultStore<WatchedStore>,
        parts: Parts,
    ) -> Result<Self, StoreError> {
        let Parts { fuse, thief, trap } = parts;
        let store = faults.inner().clone();
        let (skew, is_early) = (Duration::from_millis(dice.below(SKEW_MAX)), dice.percent(50));
        // As the clock of production begins: the store's time, and never below the last time that was stored.
        let read = faults.now()?;
        let off =
            if is_early { read.as_micros().saturating_sub(micros(skew)) } else { micros_after(read, skew) };
        let base = Timestamp::from_micros(off).max(faults.last_time()?);
        let clock = Arc::new(NodeClock::new(store.inner.clone(), base));
        let on: Arc<dyn Store> = Arc::new(faults.clone());
        let springs = Arc::clone(&trap);
        let config = EngineConfig {
            fail_points: Some(Arc::new(move |name| springs.pass(name))),
            lease: LEASE,
            cached_runs: 8,
            evict_always: dice.percent(30),
            sabotage: match plan.sabotage {
                Some(SimSabotage::AckEarly) => Some(Sabotage::AckEarly),
                Some(SimSabotage::EffectBeforeCommit) => Some(Sabotage::EffectBeforeCommit),
                Some(SimSabotage::NoFence) | None => None,
            },
            ..EngineConfig::default()
        };
        let shared = Shared::new(Arc::clone(&on), config, Arc::clone(&clock) as Arc<dyn EngineClock>);
        let spec = worker_spec(plan);
        drop(shared.dispatcher().add_worker(WorkerId(1), &spec));
        shared.registry_mut().add(WorkerId(1), spec);
        let mut keeper = SessionKeeper::new("simulated".to_owned(), LEASE);
        let news = keeper.open(&*on, clock.now())?;
        let mut node = Self {
            shared,
            clock,
            fuse,
            faults,
            rates: plan.faults,
            thief,
            dice: Dice::new(dice.next()),
            seed: dice.next(),
            trap,
            keeper,
            shards: BTreeMap::new(),
            inboxes: BTreeMap::new(),
            committer: Committer::default(),
            line: Line::Idle,
            running: BTreeMap::new(),
            runaways: Vec::new(),
            begun: Vec::new(),
            asleep_until: Timestamp::ZERO,
            outage_left: 0,
            leaving: None,
            counts: SimCounts::default(),
            fault: None,
        };
        node.hear(news);
        Ok(node)
    }

    /// Nothing goes wrong any more.
    pub(in super::super) fn calm(&mut self) {
        self.fuse.defuse();
        self.trap.disarm();
        self.faults.set_plan(FaultPlan::none());
        self.clock.set_wall_shift(0);
        self.asleep_until = Timestamp::ZERO;
        self.outage_left = 0;
    }

    /// No call reaches the store, or all do again.
    pub(in super::super) fn set_outage(&mut self, is_out: bool) {
        self.counts.outages += u64::from(is_out);
        let rates =
            if is_out { FaultRates { fail_before: 100, ..FaultRates::default() } } else { self.rates };
        let seed = self.dice.next();
        self.faults.set_plan(FaultPlan::seeded(seed, rates));
    }

    pub(in super::super) fn session(&self) -> Option<SessionId> {
        self.keeper.session()
    }

    pub(in super::super) fn owns(&self, shard: ShardId) -> bool {
        self.shards.contains_key(&shard)
    }

    pub(in super::super) fn owned(&self) -> Vec<ShardId> {
        self.shards.keys().copied().collect()
    }

    /// Whether nothing is on its way, neither between its machines nor to the store.
    pub(in super::super) fn is_quiet(&self) -> bool {
        self.inboxes.is_empty()
            && self.line.is_idle()
            && self.committer.is_idle()
            && self.shards.values().all(Shard::is_quiet)
    }

    /// Whether all its shards know everything that has something to do.
    pub(in super::super) fn is_live(&self) -> bool {
        self.shards.values().all(Shard::is_live)
    }

    /// How many slots somebody has: attempts of its shards, and offers on their way.
    pub(in super::super) fn slots_held(&self) -> usize {
        let offered = self.inboxes.values().flatten();
        let offered = offered.filter(|message| matches!(message, ShardMessage::Offered(_))).count();
        self.shards.values().map(Shard::slots_held).sum::<usize>() + offered
    }

    pub(in super::super) fn slots_in_use(&self) -> usize {
        self.shared.dispatcher().in_use()
    }

    /// How the engine stands, for a failure's text.
    pub(in super::super) fn state(&self) -> String {
        let messages: usize = self.inboxes.values().map(VecDeque::len).sum();
        let shards: Vec<String> = self.shards.values().map(Shard::state).collect();
        format!(
            "[now {}, {messages} messages, {} bodies, committer idle {}, {:?}, slots in use {}, wake {}, leaving {:?}: {}]",
            self.clock.now(),
            self.running.len(),
            self.committer.is_idle(),
            self.line,
            self.slots_in_use(),
            self.next_wake(),
            self.leaving,
            shards.join("; "),
        )
    }

    /// What it did, once nothing more comes.
    pub(in super::super) fn final_counts(&self) -> SimCounts {
        let mut counts = self.counts;
        counts.delays += self.thief.delays.load(Ordering::Relaxed);
        counts.lost_sessions += self.thief.thefts.load(Ordering::Relaxed);
        counts.repeated_commits += self.faults.duplicated_commits().len() as u64;
        counts
    }

    /// How long until something has to happen by time alone.
    pub(in super::super) fn wait(&self) -> Option<Duration> {
        let next = self.next_wake();
        (next < Timestamp::MAX).then(|| next.since(self.clock.now()))
    }

    pub(super) fn next_wake(&self) -> Timestamp {
        let shards = self.shards.values().filter_map(Shard::next_wake).min();
        shards.unwrap_or(Timestamp::MAX).min(self.keeper.next_wake())
    }

    pub(in super::super) fn is_asleep(&self) -> bool {
        self.asleep_until > world_now(&self.faults.inner().inner)
    }
}

struct Parts {
    fuse: Arc<Fuse>,
    thief: Arc<Thief>,
    trap: Arc<Trap>,
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn micros_after(time: Timestamp, by: Duration) -> u64 {
    time.after(by).as_micros()
}

fn worker_spec(plan: &Simulation) -> WorkerSpec {
    let never: ActivityBody = Arc::new(|_, _| Box::pin(async { Ok::<Payload, _>(Payload::null()) }));
    #[expect(clippy::expect_used, reason = "the constant name is a valid one")]
    let queue = QueueName::new("q").expect("the name is valid");
    WorkerSpec {
        queue,
        definitions: plan.definitions.clone(),
        activities: plan.activities.keys().map(|name| (name.clone(), Arc::clone(&never))).collect(),
        defaults: ActivityOptions::default(),
        slots: 5,
    }
}
