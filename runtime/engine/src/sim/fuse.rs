//! When an engine dies: around some call of the store.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use steadfast_store::StoreErrorKind;
use steadfast_store::faults::{Call, CallKind, Phase};

use super::dice::Dice;
use super::report::DeathMoment;

/// The calls that an engine makes.
pub(super) const CALLS: &[CallKind] = &[
    CallKind::Commit,
    CallKind::LastTime,
    CallKind::Room,
    CallKind::Now,
    CallKind::OpenSession,
    CallKind::RenewSession,
    CallKind::EndSession,
    CallKind::EndSessionIfLapsed,
    CallKind::Sessions,
    CallKind::ClaimShard,
    CallKind::Head,
    CallKind::History,
    CallKind::Items,
    CallKind::Current,
    CallKind::Request,
    CallKind::Due,
    CallKind::NextDue,
    CallKind::Mail,
    CallKind::List,
    CallKind::DeadLetters,
    CallKind::Breakers,
];

/// A call that kills: the `left`-th of its kind from now.
#[derive(Debug)]
struct Target {
    kind: CallKind,
    moment: DeathMoment,
    left: AtomicI64,
}

/// When an engine dies.
#[derive(Debug)]
pub(super) struct Fuse {
    /// How many moments around calls are left.
    left: AtomicI64,
    target: Option<Target>,
    is_out: AtomicBool,
    died_at: Mutex<Option<(CallKind, DeathMoment)>>,
}

impl Fuse {
    /// A fuse that never burns down.
    pub(super) fn never() -> Arc<Self> {
        Self::new(i64::MAX, None)
    }

    /// After so many calls of whatever kind, or at one of a certain kind.
    pub(super) fn draw(dice: &mut Dice) -> Arc<Self> {
        let left = i64::try_from(20 + dice.below(4_000)).unwrap_or(i64::MAX);
        if dice.percent(50) {
            return Self::new(left, None);
        }
        let kind = CALLS[dice.index(CALLS.len())];
        let moment = if dice.percent(50) { DeathMoment::Before } else { DeathMoment::After };
        // Calls that are made while an engine opens come once or a few times only.
        let once = [CallKind::Now, CallKind::LastTime, CallKind::OpenSession, CallKind::Breakers];
        let few = [CallKind::ClaimShard, CallKind::EndSessionIfLapsed, CallKind::EndSession];
        let nth = if once.contains(&kind) {
            1
        } else if few.contains(&kind) {
            1 + dice.below(4)
        } else {
            1 + dice.below(40)
        };
        let left_of_kind = AtomicI64::new(i64::try_from(nth).unwrap_or(1));
        Self::new(i64::MAX, Some(Target { kind, moment, left: left_of_kind }))
    }

    fn new(left: i64, target: Option<Target>) -> Arc<Self> {
        let (left, is_out) = (AtomicI64::new(left), AtomicBool::new(false));
        Arc::new(Self { left, target, is_out, died_at: Mutex::default() })
    }

    /// A moment around a call. Once it has burnt down all calls fail.
    pub(super) fn burn(&self, call: Call) -> Option<StoreErrorKind> {
        let moment = match call.phase {
            Phase::Before => DeathMoment::Before,
            Phase::After => DeathMoment::After,
            Phase::Delayed => return None,
        };
        if !self.is_dead() && !self.is_out.load(Ordering::Relaxed) {
            let by_count = self.left.fetch_sub(1, Ordering::Relaxed) <= 0;
            let by_kind = self.target.as_ref().is_some_and(|target| {
                target.kind == call.kind
                    && target.moment == moment
                    && target.left.fetch_sub(1, Ordering::Relaxed) == 1
            });
            if by_count || by_kind {
                *self.died_at.lock().unwrap_or_else(PoisonError::into_inner) = Some((call.kind, moment));
            }
        }
        self.is_dead().then_some(StoreErrorKind::Unavailable)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.died_at().is_some()
    }

    /// At which call the engine died.
    pub(super) fn died_at(&self) -> Option<(CallKind, DeathMoment)> {
        *self.died_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine does not die by this fuse any more.
    pub(super) fn defuse(&self) {
        self.is_out.store(true, Ordering::Relaxed);
    }
}
