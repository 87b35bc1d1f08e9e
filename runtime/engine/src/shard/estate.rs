//! What of a shard outlives the thread that steps it.
//!
//! Futures cannot leave their thread, but what a shard owes to others has to: clients that wait, attempts with their
//! slots, transitions in flight. A shard has these in hand only while code of the engine runs. Before workflow code
//! runs, and between steps, it lays them on its desk, where the watchdog can find them. A thread that comes back
//! from workflow code to an abandoned desk goes no further.
//!
//! The successor goes on with the same ledger under the same epoch, exactly as a shard does that dropped its memory
//! back to the store: it reads nothing before all that is in flight is settled, and acknowledgements that come late
//! are its own.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use steadfast_core::RunId;
use steadfast_store::StoreError;

use super::ledger::Ledger;
use super::load::Opened;
use super::machine::{AttemptEntry, AttemptPhase, Phase, Shard, ShardSetup};
use super::read::Waiter;
use super::run::LiveRun;
use crate::activity::AttemptKey;
use crate::dispatch::Slot;
use crate::head::BlockedState;
use crate::message::{Call, Outputs};
use crate::random::ShardRandom;
use crate::watch::Watch;

/// What of a shard outlives its thread.
#[derive(Debug)]
pub(crate) struct Estate {
    attempts: BTreeMap<AttemptKey, AttemptEntry>,
    waiters: BTreeMap<RunId, Vec<Waiter>>,
    ledger: Ledger,
    /// Going on with the same numbers keeps ids apart.
    random: ShardRandom,
    out: Outputs,
    hand: Hand,
}

/// What a shard works with at the moment, and what it must not touch.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// Runs whose code did not come back, and what it did instead. This process does not activate them again.
    pub(super) given_up: BTreeMap<RunId, String>,
    /// A slot that was taken and is in no attempt's entry yet.
    pub(super) slot: Option<Slot>,
    /// The call that is being worked on.
    pub(super) call: Option<Call>,
    /// Calls whose work was interrupted.
    pub(super) again: Vec<Call>,
}

/// Where the estate of a shard lies. Locked to lay it down or take it up.
pub(crate) type Desk = Mutex<Option<Estate>>;

/// What the end of a given-up thread unwinds with.
struct GivenUp;

impl Estate {
    /// Notes that the code of a run did not come back.
    pub(crate) fn give_up(&mut self, run: RunId, why: &str) {
        self.hand.given_up.insert(run, why.to_owned());
    }

    pub(super) fn is_quiet(&self) -> bool {
        let is_kept = |entry: &AttemptEntry| matches!(entry.phase, AttemptPhase::Finished { .. });
        self.ledger.is_empty() && !self.attempts.values().any(is_kept)
    }

    /// How many slots its attempts hold.
    pub(super) fn slots_held(&self) -> usize {
        self.attempts.values().filter(|entry| entry.slot.is_some()).count()
    }
}

impl Shard {
    /// The shard on another thread, after the one that had it was given up, and what the interrupted step had
    /// brought about by then.
    pub(crate) fn succeed(setup: ShardSetup, watch: Arc<Watch>, estate: Estate) -> (Self, Outputs) {
        let mut shard = Self::new(setup, watch);
        shard.hold(estate);
        shard.phase = Phase::Broken { until: shard.now() };
        shard.shared.dispatcher().forget_shard(shard.id);
        let slot = shard.hand.slot.take();
        shard.give_up_slot(slot);
        let interrupted = shard.hand.call.take();
        shard.hand.again.extend(interrupted);
        let outputs = std::mem::take(&mut shard.out);
        shard.lay_down();
        (shard, outputs)
    }

    /// What a simulated thread leaves behind: what the successor of a real one finds in shared places.
    pub(crate) fn leave(self, seed: u64) -> (ShardSetup, Estate) {
        let estate = self.desk.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Self { shared, id: shard, epoch, session, .. } = self;
        #[expect(clippy::expect_used, reason = "while workflow code runs, every desk has its estate")]
        let estate = estate.expect("the estate is on the desk");
        (ShardSetup { shared, shard, epoch, session, seed }, estate)
    }

    pub(crate) fn desk(&self) -> Arc<Desk> {
        Arc::clone(&self.desk)
    }

    pub(super) fn lay_down(&mut self) {
        let estate = Estate {
            attempts: std::mem::take(&mut self.attempts),
            waiters: std::mem::take(&mut self.waiters),
            ledger: std::mem::take(&mut self.ledger),
            random: self.random.clone(),
            out: std::mem::take(&mut self.out),
            hand: std::mem::take(&mut self.hand),
        };
        *self.desk.lock().unwrap_or_else(PoisonError::into_inner) = Some(estate);
        self.is_laid_down = true;
    }

    /// Takes the estate up. If another thread has it, nothing of this step may go on: the stack unwinds to the
    /// runner, which ends the thread.
    pub(super) fn take_up(&mut self) {
        let estate = self.desk.lock().unwrap_or_else(PoisonError::into_inner).take();
        match estate {
            Some(estate) => self.hold(estate),
            None => resume_unwind(Box::new(GivenUp)),
        }
    }

    fn hold(&mut self, estate: Estate) {
        let Estate { attempts, waiters, ledger, random, out, hand } = estate;
        self.attempts = attempts;
        self.waiters = waiters;
        self.ledger = ledger;
        self.random = random;
        self.out = out;
        self.hand = hand;
        self.is_laid_down = false;
    }

    /// Runs workflow code, under the eyes of the watchdog. Gives the processor time that it used besides.
    pub(super) fn run_watched<T>(&mut self, run: RunId, code: impl FnOnce() -> T) -> (T, Duration) {
        self.lay_down();
        let before = self.shared.clock.thread_cpu();
        self.watch.enter(self.id, run, before);
        let value = code();
        self.shared.config.fail_point("code-ran");
        let used = self.shared.clock.thread_cpu().saturating_sub(before);
        if !self.watch.leave() {
            resume_unwind(Box::new(GivenUp));
        }
        self.take_up();
        (value, used)
    }

    /// A step panicked, and its thread was not given up: the estate is in hand again, wherever it was.
    pub(super) fn pick_up_after_panic(&mut self) {
        if self.is_laid_down {
            self.take_up();
        }
    }

    /// Why a run is not activated by this process any more.
    pub(super) fn refusal(&self, run: &LiveRun) -> Option<BlockedState> {
        let why = self.hand.given_up.get(&run.id())?;
        Some(self.given_up_state(run, why))
    }

    fn given_up_state(&self, run: &LiveRun, why: &str) -> BlockedState {
        let reason = format!(
            "workflow code {why} in one activation (workflow `{}`, run {}); the thread was given up; it is tried \
             again when the process starts anew",
            run.head.workflow_type,
            run.id(),
        );
        // Like a function that nobody has: time alone changes nothing.
        BlockedState { reason, is_missing: true, since: self.now() }
    }

    /// After a succession: blocks the runs whose code did not come back, and does interrupted calls again.
    pub(super) fn settle_given_up(&mut self) -> Result<(), StoreError> {
        let runs: Vec<RunId> = self.hand.given_up.keys().copied().collect();
        for run in runs {
            match self.open(run)? {
                Opened::Run(work) if work.run.is_closed() => self.put_back(work.run),
                Opened::Run(mut work) => {
                    if let Some(state) = self.refusal(&work.run) {
                        self.block(&mut work, state);
                    }
                    self.submit(*work);
                }
                // Its start was never stored: the client's call is done again, and stores it blocked.
                Opened::Missing => self.unborn = self.hand.given_up.remove(&run),
                Opened::Unreadable(_) => {}
            }
        }
        for call in std::mem::take(&mut self.hand.again) {
            self.call(call);
        }
        self.unborn = None;
        Ok(())
    }

    /// A new run that stands for one whose first activation did not come back is blocked from the beginning.
    pub(super) fn block_unborn(&mut self, run: &mut LiveRun) {
        let Some(why) = self.unborn.take() else { return };
        run.fields.blocked = Some(self.given_up_state(run, &why));
        self.hand.given_up.insert(run.id(), why);
    }
}
