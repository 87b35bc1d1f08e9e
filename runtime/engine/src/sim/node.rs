//! One engine, without threads: its machines, and the messages between them.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use steadfast_core::{ActivityOptions, Payload, QueueName, SessionId, ShardId, Timestamp};
use steadfast_store::faults::{Call, FaultPlan, FaultStore};
use steadfast_store::{Group, MemoryStore, Store, StoreError, StoreErrorKind, Verdict};

use super::dice::Dice;
use super::plan::Simulation;
use super::trap::Trap;
use crate::activity::{ActivityBody, AttemptKey, Stop};
use crate::clock::{EngineClock, ManualClock};
use crate::committer::Committer;
use crate::config::EngineConfig;
use crate::message::{Attempt, Outputs, ShardMessage};
use crate::registry::{WorkerId, WorkerSpec};
use crate::session::{SessionKeeper, Tenure};
use crate::shard::{Shard, ShardSetup};
use crate::shared::Shared;

/// How long a session of the simulation lives unless it is renewed.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// When an engine dies: after so many calls of the store.
#[derive(Debug)]
pub(super) struct Fuse {
    left: AtomicI64,
    is_dead: AtomicBool,
}

impl Fuse {
    fn new(calls: Option<u64>) -> Arc<Self> {
        let left = calls.and_then(|calls| i64::try_from(calls).ok()).unwrap_or(i64::MAX);
        Arc::new(Self { left: AtomicI64::new(left), is_dead: AtomicBool::new(false) })
    }

    fn burn(&self) -> Option<StoreErrorKind> {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            self.is_dead.store(true, Ordering::Relaxed);
        }
        self.is_dead().then_some(StoreErrorKind::Unavailable)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }

    /// The engine does not die by this fuse any more.
    pub(super) fn defuse(&self) {
        self.left.store(i64::MAX, Ordering::Relaxed);
    }
}

/// A body that runs.
pub(super) struct Running {
    pub(super) attempt: Attempt,
    pub(super) is_cancelled: bool,
}

/// One engine.
pub(super) struct Node {
    pub(super) shared: Arc<Shared>,
    pub(super) fuse: Arc<Fuse>,
    faults: FaultStore<MemoryStore>,
    seed: u64,
    /// Where workflow code does not come back, now and then.
    trap: Arc<Trap>,
    keeper: SessionKeeper,
    pub(super) shards: BTreeMap<ShardId, Shard>,
    pub(super) inboxes: BTreeMap<ShardId, VecDeque<ShardMessage>>,
    pub(super) committer: Committer,
    pub(super) running: BTreeMap<AttemptKey, Running>,
    /// Attempts begun since the last look.
    pub(super) begun: Vec<AttemptKey>,
    /// Until when the engine sleeps and does nothing.
    pub(super) asleep_until: Timestamp,
    pub(super) stopped: u64,
    pub(super) failed_commits: u64,
    pub(super) successions: u64,
}

impl Node {
    /// Opens an engine; it may die while it does.
    pub(super) fn open(
        plan: &Simulation,
        store: &MemoryStore,
        clock: &Arc<ManualClock>,
        dice: &mut Dice,
        is_calm: bool,
    ) -> Result<Self, StoreError> {
        let fuse = Fuse::new((!is_calm).then(|| 20 + dice.below(2_000)));
        let burning = Arc::clone(&fuse);
        let faults = if is_calm { FaultPlan::none() } else { FaultPlan::seeded(dice.next(), plan.faults) };
        let faults = FaultStore::new(store.clone(), faults).with_hook(move |_: Call| burning.burn());
        let on: Arc<dyn Store> = Arc::new(faults.clone());
        let trap = Trap::new((!is_calm).then(|| 3 + dice.below(30)));
        let springs = Arc::clone(&trap);
        let config = EngineConfig {
            fail_points: Some(Arc::new(move |name| springs.pass(name))),
            lease: LEASE,
            cached_runs: 8,
            evict_always: dice.percent(30),
            sabotage: plan.sabotage,
            ..EngineConfig::default()
        };
        let clock: Arc<dyn EngineClock> = Arc::clone(clock) as Arc<dyn EngineClock>;
        let shared = Shared::new(Arc::clone(&on), config, Arc::clone(&clock));
        let spec = worker_spec(plan);
        drop(shared.dispatcher().add_worker(WorkerId(1), &spec));
        shared.registry_mut().add(WorkerId(1), spec);
        let mut keeper = SessionKeeper::new("simulated".to_owned(), LEASE);
        let news = keeper.open(&*on, clock.now())?;
        let mut node = Self {
            shared,
            fuse,
            faults,
            seed: dice.next(),
            trap,
            keeper,
            shards: BTreeMap::new(),
            inboxes: BTreeMap::new(),
            committer: Committer::default(),
            running: BTreeMap::new(),
            begun: Vec::new(),
            asleep_until: Timestamp::ZERO,
            stopped: 0,
            failed_commits: 0,
            successions: 0,
        };
        node.hear(news);
        Ok(node)
    }

    /// Nothing goes wrong any more.
    pub(super) fn calm(&mut self) {
        self.fuse.defuse();
        self.trap.disarm();
        self.faults.set_plan(FaultPlan::none());
        self.asleep_until = Timestamp::ZERO;
    }

    pub(super) fn session(&self) -> Option<SessionId> {
        self.keeper.session()
    }

    pub(super) fn owns(&self, shard: ShardId) -> bool {
        self.shards.contains_key(&shard)
    }

    /// Whether nothing is on its way, neither between its machines nor to the store.
    pub(super) fn is_quiet(&self) -> bool {
        self.inboxes.is_empty() && self.committer.is_idle() && self.shards.values().all(Shard::is_quiet)
    }

    /// How the engine stands, for a failure's text.
    pub(super) fn state(&self) -> String {
        let messages: usize = self.inboxes.values().map(VecDeque::len).sum();
        let shards: Vec<String> = self.shards.values().map(Shard::state).collect();
        format!(
            "[{messages} messages, {} bodies, committer idle {}, slots in use {}, wake {}: {}]",
            self.running.len(),
            self.committer.is_idle(),
            self.shared.dispatcher().in_use(),
            self.next_wake(),
            shards.join("; "),
        )
    }

    fn hear(&mut self, news: Vec<Tenure>) {
        for tenure in news {
            match tenure {
                Tenure::Owned { shard, epoch, session } => {
                    let shared = Arc::clone(&self.shared);
                    let setup = ShardSetup { shared, shard, epoch, session, seed: self.seed };
                    self.shards.insert(shard, Shard::new(setup, self.trap.watch()));
                    self.post(shard, ShardMessage::WorkersChanged);
                }
                Tenure::Lost => {
                    self.running.clear();
                    for (_, shard) in std::mem::take(&mut self.shards) {
                        let outputs = shard.retire();
                        self.perform(outputs);
                    }
                    // Offered slots go back; other messages of the lost shards are refused.
                    for (shard, messages) in std::mem::take(&mut self.inboxes) {
                        for message in messages {
                            self.step(shard, message);
                        }
                    }
                }
            }
        }
    }

    pub(super) fn post(&mut self, shard: ShardId, message: ShardMessage) {
        self.inboxes.entry(shard).or_default().push_back(message);
    }

    /// Takes the next message of a shard.
    pub(super) fn deliver(&mut self, shard: ShardId) {
        let message = self.inboxes.get_mut(&shard).and_then(VecDeque::pop_front);
        self.inboxes.retain(|_, messages| !messages.is_empty());
        if let Some(message) = message {
            self.step(shard, message);
        }
    }

    pub(super) fn step(&mut self, id: ShardId, message: ShardMessage) {
        let moment = self.shared.moment();
        let Some(shard) = self.shards.get_mut(&id) else {
            let offers =
                crate::runner::refuse(message, &crate::error::Unavailable::NotOwner(id), &self.shared);
            for offer in offers {
                self.post(offer.task.shard, ShardMessage::Offered(offer));
            }
            return;
        };
        let stepped = catch_unwind(AssertUnwindSafe(|| shard.step(message, moment)));
        match stepped {
            Ok(outputs) => self.perform(outputs),
            Err(_) if !self.trap.watch().leave() => self.succeed(),
            Err(payload) => resume_unwind(payload),
        }
    }

    /// Workflow code did not come back: all shards begin anew on another thread. The code is tried again here.
    fn succeed(&mut self) {
        self.successions += 1;
        self.trap.renew();
        for (id, shard) in std::mem::take(&mut self.shards) {
            let (setup, estate) = shard.leave(self.seed);
            let (shard, outputs) = Shard::succeed(setup, self.trap.watch(), estate);
            self.shards.insert(id, shard);
            self.perform(outputs);
            self.post(id, ShardMessage::WorkersChanged);
        }
    }

    fn perform(&mut self, outputs: Outputs) {
        if self.fuse.is_dead() {
            return;
        }
        let Outputs { submissions, begin, stop, offers } = outputs;
        for submission in submissions {
            self.committer.take(submission);
        }
        for attempt in begin {
            self.begun.push(attempt.key);
            self.running.insert(attempt.key, Running { attempt, is_cancelled: false });
        }
        for (key, stop) in stop {
            self.stop(key, stop);
        }
        for offer in offers {
            self.post(offer.task.shard, ShardMessage::Offered(offer));
        }
    }

    fn stop(&mut self, key: AttemptKey, stop: Stop) {
        match stop {
            Stop::Run => {}
            Stop::Cancel => {
                if let Some(running) = self.running.get_mut(&key) {
                    running.is_cancelled = true;
                }
            }
            Stop::Abandon(_) | Stop::HandBack | Stop::Drop => {
                if self.running.remove(&key).is_some() {
                    self.stopped += 1;
                }
            }
        }
    }

    /// Writes what waits.
    pub(super) fn commit(&mut self) {
        let Some(group) = self.committer.next_group(self.shared.clock.now()) else { return };
        let result = self.write(&group);
        if self.fuse.is_dead() {
            return;
        }
        let is_whole = matches!(&result, Ok(verdicts) if verdicts.iter().all(|v| *v == Verdict::Committed));
        self.failed_commits += u64::from(!is_whole);
        for (shard, message) in self.committer.finish(result) {
            self.post(shard, message);
        }
    }

    fn write(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        self.shared.store.commit(group)
    }

    /// Renews the session and claims shards, if the time has come.
    pub(super) fn keep(&mut self) {
        let now = self.shared.clock.now();
        if self.keeper.next_wake() <= now {
            let news = self.keeper.step(&*self.shared.store, now);
            self.hear(news);
        }
    }

    /// A shard whose time has come.
    pub(super) fn due_shard(&self) -> Option<ShardId> {
        let now = self.shared.clock.now();
        self.shards.iter().find(|(_, shard)| shard.next_wake().is_some_and(|at| at <= now)).map(|(id, _)| *id)
    }

    /// When something has to happen next.
    pub(super) fn next_wake(&self) -> Timestamp {
        let shards = self.shards.values().filter_map(Shard::next_wake).min();
        shards.unwrap_or(Timestamp::MAX).min(self.keeper.next_wake())
    }
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
