//! The decorator: counting, deciding, letting it go wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::plan::{CallKind, Fault, FaultPlan};
use crate::contract::{StoreError, StoreErrorKind, Verdict};

/// A moment around a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Which.
    pub kind: CallKind,
    /// Its number among the calls of its kind, from 1.
    pub nth: u64,
    /// When.
    pub phase: Phase,
}

/// Where in a call the hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It did not happen yet.
    Before,
    /// The plan delays it; it did not happen yet.
    Delayed,
    /// It happened; its answer is not seen yet.
    After,
}

/// A fault that was let happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injected {
    /// Which call.
    pub kind: CallKind,
    /// Its number among those of its kind, from 1.
    pub nth: u64,
    /// What happened to it.
    pub fault: Fault,
}

/// What a commit that happened twice was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicatedCommit {
    /// The first time: what the caller saw.
    pub first: Vec<Verdict>,
    /// The second time: committed again without harm, or refused. `None` if the store failed.
    pub second: Option<Vec<Verdict>>,
}

type Hook = dyn Fn(Call) -> Option<StoreErrorKind> + Send + Sync;

/// A store whose calls go wrong by a plan. Clones share the counts and the plan.
///
/// It is a [`crate::Store`] whenever the one inside is.
#[derive(Clone)]
pub struct FaultStore<S> {
    inner: S,
    hook: Option<Arc<Hook>>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    plan: FaultPlan,
    counts: BTreeMap<CallKind, u64>,
    injected: Vec<Injected>,
    duplicated: Vec<DuplicatedCommit>,
}

impl<S> FaultStore<S> {
    /// Puts a plan around a store.
    #[must_use]
    pub fn new(inner: S, plan: FaultPlan) -> Self {
        let state = State { plan, ..State::default() };
        Self { inner, hook: None, state: Arc::new(Mutex::new(state)) }
    }

    /// Calls `hook` before and after every call, and where the plan delays one. If it gives a kind, the call fails
    /// with it, before or after its effect: that is how a test runner cuts an engine off at any call.
    #[must_use]
    pub fn with_hook(
        mut self,
        hook: impl Fn(Call) -> Option<StoreErrorKind> + Send + Sync + 'static,
    ) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// The store inside, which never fails by plan.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Replaces the plan; counts go on.
    pub fn set_plan(&self, plan: FaultPlan) {
        self.state().plan = plan;
    }

    /// The plan; print it to repeat the run.
    #[must_use]
    pub fn plan(&self) -> FaultPlan {
        self.state().plan.clone()
    }

    /// How many calls of a kind there were.
    #[must_use]
    pub fn calls(&self, kind: CallKind) -> u64 {
        self.state().counts.get(&kind).copied().unwrap_or(0)
    }

    /// All faults so far, in order.
    #[must_use]
    pub fn injected(&self) -> Vec<Injected> {
        self.state().injected.clone()
    }

    /// All commits that happened twice, in order.
    #[must_use]
    pub fn duplicated_commits(&self) -> Vec<DuplicatedCommit> {
        self.state().duplicated.clone()
    }

    pub(super) fn note_duplicate(&self, duplicate: DuplicatedCommit) {
        self.state().duplicated.push(duplicate);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one call as the plan has it. `again` is given what the call was answered if it happens twice.
    pub(super) fn call<T, E: From<StoreError>>(
        &self,
        kind: CallKind,
        work: impl Fn(&S) -> Result<T, E>,
        again: impl FnOnce(&T, Result<T, E>),
    ) -> Result<T, E> {
        let (nth, fault) = self.count(kind);
        self.ask(Call { kind, nth, phase: Phase::Before })?;
        match fault {
            Some(Fault::FailBefore) => return Err(failure(kind, nth, "before it happened").into()),
            Some(Fault::Delay) => self.ask(Call { kind, nth, phase: Phase::Delayed })?,
            Some(Fault::FailAfter | Fault::Duplicate) | None => {}
        }
        let answer = work(&self.inner);
        if fault == Some(Fault::Duplicate)
            && let Ok(first) = &answer
        {
            again(first, work(&self.inner));
        }
        self.ask(Call { kind, nth, phase: Phase::After })?;
        if fault == Some(Fault::FailAfter) {
            return Err(failure(kind, nth, "after it happened").into());
        }
        answer
    }

    fn count(&self, kind: CallKind) -> (u64, Option<Fault>) {
        let mut state = self.state();
        let count = state.counts.entry(kind).or_insert(0);
        *count += 1;
        let nth = *count;
        let fault = state.plan.fault(kind, nth);
        if let Some(fault) = fault {
            state.injected.push(Injected { kind, nth, fault });
        }
        (nth, fault)
    }

    fn ask(&self, call: Call) -> Result<(), StoreError> {
        match self.hook.as_ref().and_then(|hook| hook(call)) {
            None => Ok(()),
            Some(kind) => {
                let Call { kind: of, nth, phase } = call;
                Err(StoreError::new(kind, format!("{of:?} #{nth} was cut off ({phase:?})")))
            }
        }
    }
}

fn failure(kind: CallKind, nth: u64, when: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, format!("{kind:?} #{nth} failed by plan {when}"))
}

impl<S: fmt::Debug> fmt::Debug for FaultStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FaultStore({}) around {:?}", self.plan(), self.inner)
    }
}
