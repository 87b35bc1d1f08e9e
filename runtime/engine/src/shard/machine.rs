//! The shard: its memory, and the one entry through which it is stepped.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use steadfast_core::{AttemptError, Epoch, Payload, RunId, SessionId, ShardId, Timestamp};
use steadfast_store::{DueEntry, StoreError};

use super::cache::Cache;
use super::estate::{Desk, Estate, Hand};
use super::ledger::Ledger;
use super::read::Waiter;
use super::run::Retry;
use crate::activity::AttemptKey;
use crate::dispatch::Slot;
use crate::error::Unavailable;
use crate::message::{BeatFate, Call, Fault, Moment, Outputs, ShardMessage};
use crate::random::ShardRandom;
use crate::shared::Shared;
use crate::watch::Watch;
use crate::wheel::Wheel;

/// Where a shard stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No worker has started: nothing is recovered yet.
    Idle,
    /// Runs that have something to do are being read; `after` is the last due key looked at.
    Recovering { after: Option<DueEntry> },
    /// Everything that has something to do is known.
    Live,
    /// The store failed: memory was dropped, and recovery begins when the time has come.
    Broken { until: Timestamp },
}

/// Where a granted attempt stands, as far as this engine knows. Kept when the shard's memory is dropped.
#[derive(Debug, Clone)]
pub(super) enum AttemptPhase {
    /// Its grant is on its way to the store; the body has not begun.
    Granted,
    /// The body runs.
    Begun,
    /// The body is over; the end is on its way to the store.
    Finished { result: Result<Payload, AttemptError>, details: Option<Payload> },
}

#[derive(Debug)]
pub(super) struct AttemptEntry {
    pub(super) phase: AttemptPhase,
    /// The slot that it holds, unless that was handed on.
    pub(super) slot: Option<Slot>,
    /// Whether recovery found it in the store.
    pub(super) is_confirmed: bool,
    /// Whether a transition that ends it is on its way: a body that has not begun need not begin.
    pub(super) is_ending: bool,
}

/// What a shard needs to begin.
#[derive(Debug, Clone)]
pub(crate) struct ShardSetup {
    pub(crate) shared: Arc<Shared>,
    pub(crate) shard: ShardId,
    pub(crate) epoch: Epoch,
    pub(crate) session: SessionId,
    /// The seed of the engine's random numbers.
    pub(crate) seed: u64,
}

/// One shard. It stays on its thread: it holds the futures of its runs.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(super) shared: Arc<Shared>,
    pub(super) id: ShardId,
    pub(super) epoch: Epoch,
    pub(super) session: SessionId,
    pub(super) phase: Phase,
    pub(super) failures: u32,
    pub(super) cache: Cache,
    pub(super) wheel: Wheel,
    /// Runs that cannot be activated; a worker that starts tries them at once.
    pub(super) blocked: BTreeMap<RunId, Retry>,
    /// Runs that cannot even be read, and why.
    pub(super) unreadable: BTreeMap<RunId, String>,
    pub(super) attempts: BTreeMap<AttemptKey, AttemptEntry>,
    pub(super) waiters: BTreeMap<RunId, Vec<Waiter>>,
    pub(super) ledger: Ledger,
    pub(super) random: ShardRandom,
    pub(super) moment: Moment,
    pub(super) out: Outputs,
    pub(super) hand: Hand,
    /// Where everything from `attempts` to `hand` lies while no code of the engine works on it.
    pub(super) desk: Arc<Desk>,
    pub(super) is_laid_down: bool,
    pub(super) watch: Arc<Watch>,
    /// What the code of a run did that is to be started again without being activated.
    pub(super) unborn: Option<String>,
    /// When the shard has to be stepped next, as its last step left it.
    wake: Option<Timestamp>,
}

impl Shard {
    pub(crate) fn new(setup: ShardSetup, watch: Arc<Watch>) -> Self {
        let ShardSetup { shared, shard, epoch, session, seed } = setup;
        let capacity = shared.config.cached_runs / usize::from(shared.store.shard_count().max(1));
        let moment = shared.moment();
        let mut new = Self {
            id: shard,
            epoch,
            session,
            phase: Phase::Idle,
            failures: 0,
            cache: Cache::new(capacity),
            wheel: Wheel::default(),
            blocked: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            attempts: BTreeMap::new(),
            waiters: BTreeMap::new(),
            ledger: Ledger::new(epoch),
            random: ShardRandom::new(seed, shard),
            moment,
            out: Outputs::default(),
            hand: Hand::default(),
            desk: Arc::default(),
            is_laid_down: false,
            watch,
            unborn: None,
            wake: None,
            shared,
        };
        new.lay_down();
        new
    }

    /// Takes one message, then does what the time has come for.
    pub(crate) fn step(&mut self, message: ShardMessage, moment: Moment) -> Outputs {
        self.take_up();
        self.moment = Moment { now: moment.now.max(self.moment.now), wall: moment.wall };
        self.leave_broken();
        if let Err(error) = self.take(message) {
            self.break_off(&error);
        }
        if let Err(error) = self.move_on() {
            self.break_off(&error);
        }
        self.trim();
        self.end_step()
    }

    fn end_step(&mut self) -> Outputs {
        self.wake = self.find_wake();
        let outputs = std::mem::take(&mut self.out);
        self.lay_down();
        outputs
    }

    fn find_wake(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Recovering { .. } => Some(self.moment.now),
            // What is in flight ends with a message.
            Phase::Broken { .. } if !self.ledger.is_empty() => None,
            Phase::Broken { until } => Some(until),
            Phase::Idle | Phase::Live => {
                let next = self.wheel.next(self.moment.now, self.moment.wall);
                [next, self.shared.next_trial()].into_iter().flatten().min()
            }
        }
    }

    /// When the shard has to be stepped next, if no message comes.
    pub(crate) fn next_wake(&self) -> Option<Timestamp> {
        self.wake
    }

    /// Whether nothing is on its way to the store, and no result waits for it to answer again.
    pub(crate) fn is_quiet(&self) -> bool {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_none_or(Estate::is_quiet)
    }

    /// Whether everything that has something to do is known.
    pub(crate) fn is_live(&self) -> bool {
        self.phase == Phase::Live
    }

    /// How many slots its attempts hold.
    pub(crate) fn slots_held(&self) -> usize {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Estate::slots_held)
    }

    pub(super) fn now(&self) -> Timestamp {
        self.moment.now
    }

    /// How the shard stands, for a failure's text.
    pub(crate) fn state(&self) -> String {
        format!(
            "shard {}: {:?}, {:?}, blocked {:?}, unreadable {:?}, wake {:?}",
            self.id,
            self.phase,
            self.desk.lock().unwrap_or_else(PoisonError::into_inner),
            self.blocked,
            self.unreadable,
            self.next_wake(),
        )
    }

    /// A step panicked, which is a fault of the engine: what it left half done is forgotten.
    pub(crate) fn after_panic(&mut self, message: &str) -> Outputs {
        self.pick_up_after_panic();
        self.drop_memory(&format!("a fault of the engine: {message}"));
        self.end_step()
    }

    /// The shard is no longer owned: clients are told, slots go back. Bodies are stopped by whoever ran them.
    pub(crate) fn retire(mut self) -> Outputs {
        self.take_up();
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters.into_values().flatten() {
            drop(waiter.reply.send(Err(Unavailable::NotOwner(self.id).into())));
        }
        self.ledger.fail(self.ledger.generation, &Fault::Store("the shard was lost".to_owned()));
        self.shared.dispatcher().forget_shard(self.id);
        for (key, entry) in std::mem::take(&mut self.attempts) {
            self.drop_body(key);
            self.give_up_slot(entry.slot);
        }
        std::mem::take(&mut self.out)
    }

    fn take(&mut self, message: ShardMessage) -> Result<(), StoreError> {
        match message {
            ShardMessage::Call(call) => {
                self.call(call);
                Ok(())
            }
            ShardMessage::AttemptEnded { key, result, details } => {
                if let Some(entry) = self.attempts.get_mut(&key) {
                    let (result, details) = (result.clone(), details.clone());
                    entry.phase = AttemptPhase::Finished { result, details };
                }
                if self.is_broken() { Ok(()) } else { self.attempt_ended(key, result, details) }
            }
            ShardMessage::Heartbeat { reply, .. } if self.is_broken() => {
                let _ = reply.send(BeatFate::Again);
                Ok(())
            }
            ShardMessage::Heartbeat { key, details, reply } => self.heartbeat(key, details, reply),
            ShardMessage::Offered(offer) if self.is_broken() => {
                self.release_slot(offer.slot);
                Ok(())
            }
            ShardMessage::Offered(offer) => self.offered(offer),
            ShardMessage::WorkersChanged => self.workers_changed(),
            ShardMessage::Committed { generation, through } => {
                self.committed(generation, through);
                Ok(())
            }
            ShardMessage::Failed { generation, fault } => {
                self.commit_failed(generation, &fault);
                Ok(())
            }
            ShardMessage::Wake => Ok(()),
        }
    }

    /// A store that fails while it answers a client fails that call alone; what was changed in memory by then is
    /// dropped, as after any other failure.
    pub(super) fn call(&mut self, call: Call) {
        if self.is_broken() {
            call.refuse(Unavailable::Store("it failed a moment ago and is tried again".to_owned()));
            return;
        }
        let changes = matches!(
            call,
            Call::Start(..) | Call::Cancel(..) | Call::Terminate(..) | Call::Decide(..) | Call::Breaker(..)
        );
        if changes && self.shared.is_stopping() {
            call.refuse(Unavailable::ShuttingDown);
            return;
        }
        self.hand.call = call.again();
        match call {
            Call::Start(request, reply) => self.start(*request, reply),
            Call::Cancel(request, reply) => self.cancel(*request, reply),
            Call::Terminate(request, reply) => self.terminate(*request, reply),
            Call::Decide(request, reply) => self.operator_decides(*request, reply),
            Call::Breaker(request, reply) => self.order_breaker(*request, reply),
            Call::Describe(run, reply) => self.describe(&run, reply),
            Call::History(run, reply) => self.history(&run, reply),
            Call::Result(run, reply) => self.result(&run, reply),
        }
        self.hand.call = None;
    }

    fn move_on(&mut self) -> Result<(), StoreError> {
        match self.phase {
            Phase::Broken { .. } => {
                self.leave_broken();
                Ok(())
            }
            Phase::Recovering { after } => self.recover_some(after),
            Phase::Idle | Phase::Live => {
                self.try_breakers();
                self.turn_wheel()
            }
        }
    }
}
