//! What is on its way to the store, and what is held back until it is there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use steadfast_core::{Epoch, EventId, RequestId, RunId, WorkflowId};
use steadfast_store::{CurrentRow, RequestRow};

use super::machine::{AttemptPhase, Shard};
use super::read::Waiter;
use super::work::Work;
use crate::activity::{AttemptKey, Stop};
use crate::client::RunOutcome;
use crate::config::Sabotage;
use crate::dispatch::Slot;
use crate::message::{Effect, Fault};

#[derive(Debug)]
struct Pending {
    ticket: u64,
    run: RunId,
    last_event: EventId,
    also: Option<(RunId, EventId)>,
    effects: Vec<Effect>,
    current: Option<WorkflowId>,
    request: Option<(WorkflowId, RequestId)>,
}

/// What a submission brings to the ledger.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) run: RunId,
    pub(super) last_event: EventId,
    /// Another run that the same transition changes.
    pub(super) also: Option<(RunId, EventId)>,
    pub(super) effects: Vec<Effect>,
    pub(super) current: Option<(WorkflowId, CurrentRow)>,
    pub(super) request: Option<(WorkflowId, RequestId, RequestRow)>,
}

/// Transitions in flight, in order, with what they hold back, and rows that the store does not have yet.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Raised when memory is dropped after a failed commit: what was submitted before no longer counts.
    pub(super) generation: u64,
    tickets: u64,
    pending: VecDeque<Pending>,
    current: BTreeMap<WorkflowId, (u64, CurrentRow)>,
    requests: BTreeMap<(WorkflowId, RequestId), (u64, RequestRow)>,
}

/// How many lives a shard's memory may have under one epoch before the numbers of the next epoch are reached.
const LIVES_PER_EPOCH: u64 = 1 << 20;

impl Ledger {
    /// The ledger of a shard that is owned under `epoch`. A later owner's numbers are always higher.
    pub(super) fn new(epoch: Epoch) -> Self {
        Self { generation: epoch.0.saturating_mul(LIVES_PER_EPOCH), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Notes a submission, and gives it its ticket.
    pub(super) fn enter(&mut self, entry: Entry) -> u64 {
        self.tickets += 1;
        let ticket = self.tickets;
        let Entry { run, last_event, also, effects, current, request } = entry;
        let current = current.map(|(workflow, row)| {
            self.current.insert(workflow.clone(), (ticket, row));
            workflow
        });
        let request = request.map(|(workflow, request, row)| {
            self.requests.insert((workflow.clone(), request.clone()), (ticket, row));
            (workflow, request)
        });
        self.pending.push_back(Pending { ticket, run, last_event, also, effects, current, request });
        ticket
    }

    pub(super) fn current(&self, workflow: &WorkflowId) -> Option<&(u64, CurrentRow)> {
        self.current.get(workflow)
    }

    pub(super) fn request(&self, workflow: &WorkflowId, request: &RequestId) -> Option<&(u64, RequestRow)> {
        if self.requests.is_empty() {
            return None;
        }
        self.requests.get(&(workflow.clone(), request.clone()))
    }

    /// Holds an effect back until the transition with this ticket is durable; gives it back if it is.
    fn hold(&mut self, ticket: u64, effect: Effect) -> Option<Effect> {
        let first = self.pending.front().map_or(u64::MAX, |pending| pending.ticket);
        let index = ticket.checked_sub(first).and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.pending.get_mut(index)) {
            Some(pending) => {
                pending.effects.push(effect);
                None
            }
            None => Some(effect),
        }
    }

    fn pop(&mut self, through: u64) -> Option<Pending> {
        self.pending.front().filter(|pending| pending.ticket <= through)?;
        let pending = self.pending.pop_front()?;
        if let Some(workflow) = &pending.current
            && self.current.get(workflow).is_some_and(|(ticket, _)| *ticket == pending.ticket)
        {
            self.current.remove(workflow);
        }
        if let Some(request) = &pending.request {
            self.requests.remove(request);
        }
        Some(pending)
    }

    /// A commit failed: nothing in flight counts any more. Says whether this is news.
    pub(super) fn fail(&mut self, generation: u64, fault: &Fault) -> bool {
        if generation != self.generation {
            return false;
        }
        self.generation += 1;
        self.current.clear();
        self.requests.clear();
        for effect in self.pending.drain(..).flat_map(|pending| pending.effects) {
            if let Effect::Answer(answer) = effect {
                answer.lose(fault);
            }
        }
        true
    }
}

impl Shard {
    /// Everything up to a ticket is durable: what it held back is released.
    pub(super) fn committed(&mut self, generation: u64, through: u64) {
        if generation != self.ledger.generation {
            return;
        }
        self.failures = 0;
        while let Some(pending) = self.ledger.pop(through) {
            for (run, last_event) in
                [Some((pending.run, pending.last_event)), pending.also].into_iter().flatten()
            {
                if let Some(run) = self.cache.get_mut(run) {
                    run.in_flight = run.in_flight.saturating_sub(1);
                    run.durable = run.durable.max(last_event);
                    if run.in_flight == 0 && std::mem::take(&mut run.is_stale) {
                        run.executor = None;
                    }
                    if run.in_flight == 0 && std::mem::take(&mut run.retry.is_waiting) {
                        run.retry.at = Some(self.moment.now);
                        self.blocked.insert(run.id(), run.retry);
                        self.wheel.set(run.id(), run.deadlines());
                    }
                }
            }
            for effect in pending.effects {
                self.release(effect);
            }
            self.evict_if_asked(pending.run);
        }
    }

    /// Does something once the transition with this ticket is durable, or at once if it is.
    pub(super) fn after(&mut self, ticket: u64, effect: Effect) {
        if let Some(effect) = self.ledger.hold(ticket, effect) {
            self.release(effect);
        }
    }

    /// Takes out of `effects` what a built-in fault lets go too early.
    pub(super) fn sabotage(&mut self, effects: &mut Vec<Effect>) {
        let Some(sabotage) = self.shared.config.sabotage else { return };
        let goes_early = |effect: &Effect| match sabotage {
            Sabotage::AckEarly => matches!(effect, Effect::Answer(_) | Effect::Closed(_)),
            Sabotage::EffectBeforeCommit => matches!(effect, Effect::Begin(_)),
        };
        let (early, late) = effects.drain(..).partition(goes_early);
        *effects = late;
        for effect in Vec::into_iter(early) {
            self.release(effect);
        }
    }

    fn release(&mut self, effect: Effect) {
        match effect {
            Effect::Answer(answer) => answer.give(),
            Effect::Begin(attempt) => {
                if let Some(entry) = self.attempts.get_mut(&attempt.key)
                    && matches!(entry.phase, AttemptPhase::Granted)
                    && !entry.is_ending
                {
                    entry.phase = AttemptPhase::Begun;
                    self.shared.config.fail_point("after-commit-before-dispatch");
                    self.out.begin.push(*attempt);
                }
            }
            Effect::Stop(key, stop) => self.out.stop.push((key, stop)),
            Effect::Over(key) => {
                if let Some(entry) = self.attempts.remove(&key) {
                    self.give_up_slot(entry.slot);
                }
            }
            Effect::Closed(outcome) => self.tell_waiters(&outcome),
            Effect::Unwound => self.shared.config.fail_point("compensating"),
        }
    }

    /// An attempt is over once this work is durable.
    pub(super) fn end_attempt(&mut self, work: &mut Work, key: AttemptKey) {
        if let Some(entry) = self.attempts.get_mut(&key) {
            entry.is_ending = true;
        }
        work.effects.push(Effect::Over(key));
    }

    pub(super) fn give_up_slot(&mut self, slot: Option<Slot>) {
        if let Some(slot) = slot {
            self.release_slot(slot);
        }
    }

    pub(super) fn release_slot(&mut self, slot: Slot) {
        let offers = self.shared.dispatcher().release(slot);
        self.out.offers.extend(offers);
    }

    fn tell_waiters(&mut self, outcome: &Arc<RunOutcome>) {
        for Waiter { reply, .. } in self.waiters.remove(&outcome.run_id).unwrap_or_default() {
            // A client that no longer waits needs no answer.
            drop(reply.send(Ok(RunOutcome::clone(outcome))));
        }
    }

    /// Drops a body whose end nobody needs.
    pub(super) fn drop_body(&mut self, key: AttemptKey) {
        self.out.stop.push((key, Stop::Drop));
    }
}
