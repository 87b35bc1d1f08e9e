//! The state that a run's futures share with its executor.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use rand_pcg::Pcg64Mcg;

use super::blocked::Blocked;
use super::context::RunInfo;
use super::item::Item;
use super::record::Recorder;
use super::scope::ScopeNode;
use super::tasks::Tasks;
use super::waker::WakeQueue;
use crate::error::WorkflowError;
use crate::history::{CancelCause, FailedUndo};
use crate::id::EventId;
use crate::machine::RunMachine;
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::saga::OpenHold;
use crate::time::Timestamp;

/// Shared by everything that belongs to one run, on one thread. No borrow of a field is held across a poll.
pub(crate) struct RunCell {
    /// Set by the first event.
    pub(crate) info: OnceCell<RunInfo>,
    /// Options of the queue, for calls that leave some open.
    pub(crate) defaults: ActivityOptions,
    /// The time of the present activation.
    pub(crate) now: Cell<Timestamp>,
    /// The last event of the history.
    pub(crate) last: Cell<EventId>,
    pub(crate) machine: RefCell<RunMachine>,
    pub(crate) recorder: RefCell<Recorder>,
    /// Open items, and those whose outcome has not reached the code.
    pub(crate) items: RefCell<BTreeMap<EventId, Item>>,
    /// Waits for a cancel, by order of registration.
    pub(crate) cancel_waits: RefCell<BTreeMap<u64, (Rc<ScopeNode>, Waker)>>,
    pub(crate) next_wait: Cell<u64>,
    pub(crate) tasks: RefCell<Tasks>,
    pub(crate) wakes: Arc<WakeQueue>,
    pub(crate) random: RefCell<Pcg64Mcg>,
    /// The scope of the main function.
    pub(crate) root: Rc<ScopeNode>,
    pub(crate) sagas: SagaBook,
    /// What the main function returned.
    pub(crate) result: RefCell<Option<Result<Payload, WorkflowError>>>,
    pub(crate) cancelled_by_user: Cell<bool>,
    /// The end imposed by the engine, and whether unwinding had begun before it.
    pub(crate) imposed: RefCell<Option<(CancelCause, bool)>>,
    /// The futures are being dropped without the run being over: nothing is issued.
    dropping: Cell<bool>,
    fault: RefCell<Option<Blocked>>,
}

/// What the run knows of its sagas.
#[derive(Default)]
pub(crate) struct SagaBook {
    /// The number of the newest saga.
    pub(crate) newest: Cell<u32>,
    /// Steps whose undo is registered and has not run.
    pub(crate) registered: RefCell<BTreeSet<EventId>>,
    /// How many undos of the workflow's own are registered.
    pub(crate) own: Cell<u32>,
    /// The number of the newest of them.
    pub(crate) newest_own: Cell<u32>,
    /// Sagas that unwind now.
    pub(crate) unwinding: Cell<u32>,
    /// Whether any saga has begun to unwind.
    pub(crate) began: Cell<bool>,
    /// How many undos succeeded.
    pub(crate) undone: Cell<u32>,
    /// Undos that did not.
    pub(crate) failed: RefCell<Vec<FailedUndo>>,
    /// What waits for an operator.
    pub(crate) holds: RefCell<BTreeMap<EventId, OpenHold>>,
}

impl SagaBook {
    pub(crate) fn has_undos(&self) -> bool {
        self.own.get() > 0 || self.unwinding.get() > 0 || !self.registered.borrow().is_empty()
    }
}

impl RunCell {
    pub(crate) fn new(defaults: ActivityOptions) -> Rc<Self> {
        Rc::new(Self {
            info: OnceCell::new(),
            defaults,
            now: Cell::new(Timestamp::ZERO),
            last: Cell::new(EventId(0)),
            machine: RefCell::new(RunMachine::new()),
            recorder: RefCell::new(Recorder::default()),
            items: RefCell::new(BTreeMap::new()),
            cancel_waits: RefCell::new(BTreeMap::new()),
            next_wait: Cell::new(0),
            tasks: RefCell::new(Tasks::default()),
            wakes: Arc::new(WakeQueue::default()),
            random: RefCell::new(Pcg64Mcg::new(0)),
            root: ScopeNode::root(),
            sagas: SagaBook::default(),
            result: RefCell::new(None),
            cancelled_by_user: Cell::new(false),
            imposed: RefCell::new(None),
            dropping: Cell::new(false),
            fault: RefCell::new(None),
        })
    }

    /// What the run is. Every context is made after the first event, which sets it.
    pub(crate) fn info(&self) -> &RunInfo {
        #[expect(
            clippy::expect_used,
            reason = "contexts are made only by the first event, which sets the info"
        )]
        self.info.get().expect("a context exists only after WorkflowStarted")
    }

    pub(crate) fn is_halted(&self) -> bool {
        self.dropping.get() || self.fault.borrow().is_some()
    }

    /// Whether futures are being dropped without the run being over: then only destructors run.
    pub(crate) fn is_dropping(&self) -> bool {
        self.dropping.get()
    }

    /// Notes the first fault; from then on nothing is issued.
    pub(crate) fn fault(&self, blocked: Blocked) {
        self.fault.borrow_mut().get_or_insert(blocked);
    }

    pub(crate) fn take_fault(&self) -> Option<Blocked> {
        self.fault.borrow().clone()
    }

    /// From here on futures may be dropped without issuing anything.
    pub(crate) fn begin_dropping(&self) {
        self.dropping.set(true);
    }
}

impl std::fmt::Debug for RunCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunCell").field("last", &self.last.get()).finish_non_exhaustive()
    }
}
