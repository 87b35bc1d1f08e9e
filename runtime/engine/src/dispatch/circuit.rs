//! What the dispatcher does with the breakers: attempts that end, trials that are due, orders of operators.

use std::sync::atomic::Ordering;

use steadfast_core::{BreakerState, Timestamp, Verdict};
use steadfast_store::BreakerRow;

use super::breakers::{BreakerId, Breakers, Ordered, Permit};
use super::queue::{TaskRef, Want};
use super::slots::{Dispatcher, Offer};

/// What follows from a change of a breaker.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Where it stands now, if its state is another one than before.
    pub(crate) state: Option<BreakerState>,
    /// To be written with the transition that brought the change about.
    pub(crate) row: Option<BreakerRow>,
    pub(crate) offers: Vec<Offer>,
}

impl Breakers {
    /// Whether what is wanted may begin, as far as breakers go.
    pub(super) fn admit(&self, want: &Want) -> bool {
        want.breaker().is_none_or(|id| self.admits(id))
    }

    /// Lets through what was admitted.
    pub(super) fn pass(&mut self, want: &Want) -> Option<Permit> {
        want.breaker().and_then(|id| self.take(id))
    }
}

impl Dispatcher {
    /// An attempt that a breaker let through is over.
    pub(crate) fn ended(&mut self, permit: &Permit, verdict: Verdict, now: Timestamp) -> Changed {
        let id = permit.breaker();
        let before = self.breakers.state(id);
        let opens_way = self.breakers.ended(permit, verdict, now);
        self.changed(id, before, opens_way)
    }

    /// An operator changes a breaker.
    pub(crate) fn order(&mut self, id: &BreakerId, order: Ordered) -> Changed {
        let before = self.breakers.state(id);
        self.breakers.order(id, order);
        self.changed(id, before, true)
    }

    fn changed(&mut self, id: &BreakerId, before: Option<BreakerState>, opens_way: bool) -> Changed {
        self.tell_trial();
        let kind = |state: Option<BreakerState>| state.map(|state| std::mem::discriminant(&state));
        let now = self.breakers.state(id);
        let offers = if opens_way { self.offer_all() } else { Vec::new() };
        Changed { state: now.filter(|_| kind(now) != kind(before)), row: self.breakers.row(id), offers }
    }

    /// The time is `now`: what waits for breakers that are tried again is offered slots.
    pub(crate) fn try_breakers(&mut self, now: Timestamp) -> Vec<Offer> {
        let is_news = self.breakers.tick(now);
        self.tell_trial();
        if is_news { self.offer_all() } else { Vec::new() }
    }

    /// What is to be written of a breaker with the grant that it let through.
    pub(crate) fn breaker_row(&mut self, permit: &Permit) -> Option<BreakerRow> {
        self.breakers.row(permit.breaker())
    }

    /// When a waiting task is tried that its breaker keeps from its slot; the outer `None` if none does.
    pub(crate) fn kept_until(&self, task: &TaskRef) -> Option<Option<Timestamp>> {
        let id = self.waiting.want(task)?.breaker()?;
        (!self.breakers.admits(id)).then(|| self.breakers.trial(id))
    }

    /// It is not known what of that which was to be written was stored.
    pub(crate) fn doubt_breakers(&mut self) {
        self.breakers.doubt_written();
    }

    pub(super) fn tell_trial(&self) {
        let at = self.breakers.next_trial().map_or(u64::MAX, Timestamp::as_micros);
        self.next_trial.store(at, Ordering::Release);
    }
}
