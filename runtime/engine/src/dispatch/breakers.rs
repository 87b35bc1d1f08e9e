//! Circuit breakers of the engine, and the attempts that they let through.
//!
//! What a breaker came to is written with the transition that tells of it, and read when an engine opens. How many
//! trials run is known in memory alone: the attempts of an engine that is gone are over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast_core::{ActivityName, Breaker, BreakerState, CircuitBreaker, Timestamp, Verdict, codec};
use steadfast_store::{BreakerRow, Store, StoreError};

/// How many rows are read at a time.
const PAGE: usize = 256;

/// Names a breaker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BreakerId {
    pub(crate) activity: ActivityName,
    pub(crate) key: Arc<str>,
}

/// A breaker let an attempt through. Ends with what the attempt says, or is given back with its slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Permit {
    breaker: BreakerId,
    generation: u64,
}

#[derive(Debug)]
struct Gate {
    breaker: Breaker,
    /// Attempts that were let through since it is half open.
    probes: u32,
    /// The version that was last handed out to be written.
    written: u64,
    ordered: Option<Ordered>,
}

/// What is stored of a breaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BreakerBody {
    pub(crate) breaker: Breaker,
    pub(crate) ordered: Option<Ordered>,
}

/// All breakers that are known.
#[derive(Debug, Default)]
pub(crate) struct Breakers {
    gates: BTreeMap<BreakerId, Gate>,
    /// Those that are open, by when they are tried again.
    trials: BTreeSet<(Timestamp, BreakerId)>,
}

impl Breakers {
    /// What the store knows. What cannot be read begins closed: a breaker spares a service, nothing depends on it.
    pub(crate) fn read(store: &dyn Store) -> Self {
        let mut breakers = Self::default();
        if let Err(error) = breakers.read_all(store) {
            tracing::error!(%error, "circuit breakers cannot be read: the others begin closed");
        }
        breakers
    }

    fn read_all(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = store.breakers(after.as_ref(), PAGE)?;
            for row in page.rows {
                let id = BreakerId { activity: row.activity, key: row.key.into() };
                let body = codec::decode::<BreakerBody>(&row.body).unwrap_or_else(|error| {
                    tracing::error!(?id, %error, "a circuit breaker cannot be read: it begins closed");
                    let breaker = Breaker::new(&CircuitBreaker::new(1)).succeeding(row.version);
                    BreakerBody { breaker, ordered: None }
                });
                let BreakerBody { breaker, ordered } = body;
                self.insert(id, Gate { written: breaker.version(), breaker, probes: 0, ordered });
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    fn insert(&mut self, id: BreakerId, gate: Gate) {
        self.trials.extend(gate.breaker.next_trial().map(|at| (at, id.clone())));
        self.gates.insert(id, gate);
    }

    /// Changes a breaker, and notes what follows for the time of its trial and its permits.
    fn change<T>(&mut self, id: &BreakerId, change: impl FnOnce(&mut Breaker) -> T) -> Option<T> {
        let gate = self.gates.get_mut(id)?;
        let (trial, generation) = (gate.breaker.next_trial(), gate.breaker.generation());
        let changed = change(&mut gate.breaker);
        if gate.breaker.generation() != generation {
            gate.probes = 0;
        }
        let now = gate.breaker.next_trial();
        if now != trial {
            if let Some(at) = trial {
                self.trials.remove(&(at, id.clone()));
            }
            self.trials.extend(now.map(|at| (at, id.clone())));
        }
        Some(changed)
    }

    /// An activity uses it, with these numbers.
    pub(crate) fn meet(&mut self, id: &BreakerId, options: &CircuitBreaker) {
        match self.gates.get_mut(id) {
            Some(gate) => gate.breaker.adopt(options),
            None => {
                let gate = Gate { breaker: Breaker::new(options), probes: 0, written: 0, ordered: None };
                self.insert(id.clone(), gate);
            }
        }
    }

    pub(crate) fn admits(&self, id: &BreakerId) -> bool {
        self.gates.get(id).is_none_or(|gate| gate.breaker.admits(gate.probes))
    }

    /// Lets an attempt through that was admitted.
    pub(crate) fn take(&mut self, id: &BreakerId) -> Option<Permit> {
        let gate = self.gates.get_mut(id)?;
        if matches!(gate.breaker.state(), BreakerState::HalfOpen { .. }) {
            gate.probes += 1;
        }
        Some(Permit { breaker: id.clone(), generation: gate.breaker.generation() })
    }

    /// An attempt did not take place, or said nothing. Says whether another trial may begin.
    pub(crate) fn give_back(&mut self, permit: &Permit) -> bool {
        let Some(gate) = self.gates.get_mut(&permit.breaker) else { return false };
        let is_probe = gate.breaker.generation() == permit.generation
            && matches!(gate.breaker.state(), BreakerState::HalfOpen { .. });
        if is_probe {
            gate.probes = gate.probes.saturating_sub(1);
        }
        is_probe
    }

    /// An attempt is over. Says whether another one may begin now that could not before.
    pub(crate) fn ended(&mut self, permit: &Permit, verdict: Verdict, at: Timestamp) -> bool {
        let freed = self.give_back(permit);
        let was_closed = self.is_closed(&permit.breaker);
        self.change(&permit.breaker, |breaker| breaker.ended(permit.generation, verdict, at));
        freed || (!was_closed && self.is_closed(&permit.breaker))
    }

    fn is_closed(&self, id: &BreakerId) -> bool {
        matches!(self.state(id), Some(BreakerState::Closed { .. }))
    }

    /// The time is `at`: says whether one is tried again from now on.
    pub(crate) fn tick(&mut self, at: Timestamp) -> bool {
        let due: Vec<BreakerId> =
            self.trials.iter().take_while(|(due, _)| *due <= at).map(|(_, id)| id.clone()).collect();
        for id in &due {
            self.change(id, |breaker| breaker.tick(at));
        }
        !due.is_empty()
    }

    /// When the next one is tried again.
    pub(crate) fn next_trial(&self) -> Option<Timestamp> {
        self.trials.first().map(|(at, _)| *at)
    }

    pub(crate) fn state(&self, id: &BreakerId) -> Option<BreakerState> {
        self.gates.get(id).map(|gate| gate.breaker.state())
    }

    /// When what waits for it is tried next; in the past while trials run.
    pub(crate) fn trial(&self, id: &BreakerId) -> Option<Timestamp> {
        let breaker = &self.gates.get(id)?.breaker;
        match breaker.state() {
            BreakerState::Closed { .. } => None,
            BreakerState::Open { until } => until,
            BreakerState::HalfOpen { .. } => breaker.since(),
        }
    }

    /// An operator changes it. One that nobody has met yet is made. It is written in any case: who ordered something
    /// that another transition brought about must not be told so before that is durable.
    pub(crate) fn order(&mut self, id: &BreakerId, order: Ordered) {
        if !self.gates.contains_key(id) {
            self.meet(id, &CircuitBreaker::new(1));
        }
        self.change(id, |breaker| match order.order {
            BreakerOrder::Reset => breaker.reset(order.at),
            BreakerOrder::ForceOpen => breaker.force_open(order.at),
        });
        if let Some(gate) = self.gates.get_mut(id) {
            gate.breaker.touch();
            gate.ordered = Some(order);
        }
    }

    /// What is to be written of it, if that was not handed out before.
    pub(crate) fn row(&mut self, id: &BreakerId) -> Option<BreakerRow> {
        let gate = self.gates.get_mut(id).filter(|gate| gate.breaker.version() > gate.written)?;
        let version = gate.breaker.version();
        match codec::encode(&BreakerBody { breaker: gate.breaker.clone(), ordered: gate.ordered.clone() }) {
            Ok(body) => {
                gate.written = version;
                let BreakerId { activity, key } = id.clone();
                Some(BreakerRow { activity, key: key.as_ref().to_owned(), version, body })
            }
            Err(error) => {
                tracing::error!(?id, %error, "a circuit breaker cannot be written");
                None
            }
        }
    }

    /// It is not known what of that which was handed out was stored.
    pub(crate) fn doubt_written(&mut self) {
        for gate in self.gates.values_mut() {
            gate.written = 0;
        }
    }
}

/// What an operator wants of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakerOrder {
    /// It is closed.
    Reset,
    /// It is open until it is reset.
    ForceOpen,
}

/// What an operator did last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordered {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// What.
    pub order: BreakerOrder,
}

impl Permit {
    pub(crate) fn breaker(&self) -> &BreakerId {
        &self.breaker
    }
}
