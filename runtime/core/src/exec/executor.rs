//! The executor: the one entry for replay and for live activations.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use super::blocked::Blocked;
use super::cell::RunCell;
use super::context::RunContext;
use super::item::ItemKind;
use super::record::is_issued;
use crate::error::WorkflowError;
use crate::failure::AttemptError;
use crate::history::{Event, EventKind, Role};
use crate::id::{EventId, WorkflowType};
use crate::machine::{HistoryError, RunState};
use crate::options::ActivityOptions;
use crate::panics::end_panic;
use crate::payload::Payload;
use crate::saga::Hold;
use crate::time::Timestamp;

/// The future of a workflow function. It stays on the thread on which it was made.
pub type RunFuture = Pin<Box<dyn Future<Output = Result<Payload, WorkflowError>>>>;

/// Makes the future of one attempt of a step; it runs elsewhere.
pub type StepBody =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Payload, AttemptError>> + Send>> + Send + Sync>;

/// A registered workflow function, without its types.
pub trait Definition: Send + Sync + 'static {
    /// The name under which it is registered.
    fn workflow_type(&self) -> &WorkflowType;

    /// Its version.
    fn version(&self) -> u32;

    /// Calls the function. An input that does not fit is an error of the future, not a panic.
    fn call(&self, context: RunContext, input: Payload) -> RunFuture;
}

/// What one activation brought about.
#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    /// The input, its commands, and the closing event if the code came to its end. All of it is to be appended.
    pub events: Vec<Event>,
    /// Whether the run is over.
    pub closed: bool,
    /// Whether undos are registered: then an end imposed by the engine must let them run.
    pub has_undos: bool,
    /// Whether a saga unwinds.
    pub unwinding: bool,
}

/// One run in memory.
pub struct Executor {
    pub(super) cell: Rc<RunCell>,
    pub(super) definition: Arc<dyn Definition>,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executor").field("last_event", &self.last_event()).finish_non_exhaustive()
    }
}

impl Executor {
    /// A run before its first event. `defaults` holds the queue's options, for calls that leave some open.
    #[must_use]
    pub fn new(definition: Arc<dyn Definition>, defaults: ActivityOptions) -> Self {
        Self { cell: RunCell::new(defaults), definition }
    }

    /// Follows recorded events, from the one after the last followed. Issues nothing.
    ///
    /// # Errors
    ///
    /// [`Blocked`] if the code does not do what the events say. The executor is spent then.
    pub fn replay(&mut self, events: &[Event]) -> Result<(), Blocked> {
        let mut index = 0;
        while let Some(event) = events.get(index) {
            index += 1;
            if is_engines_end(event) {
                self.follow(event)?;
                self.drop_futures();
                continue;
            }
            if event.kind.role() != Role::Input {
                let problem = format!("{} stands where an input belongs", event.kind.name());
                return Err(Blocked::History(HistoryError { id: event.id, problem }));
            }
            let issued = events[index..].iter().take_while(|event| is_issued(&event.kind)).count();
            if event.id == EventId(1) && issued == 0 && events.get(index).is_some_and(is_engines_end) {
                // It was ended before its code had begun.
                self.follow(event)?;
                continue;
            }
            let commands: VecDeque<Event> = events[index..index + issued].iter().cloned().collect();
            index += issued;
            self.cell.recorder.borrow_mut().begin_replay(commands);
            self.run_activation(event)?;
        }
        Ok(())
    }

    /// Takes one input: appends it, polls the code until it stands still, and returns what is to be appended.
    ///
    /// `at` is raised to the time of the last event if it lies before it.
    ///
    /// # Errors
    ///
    /// [`Blocked`] if the code panics, hangs or waits for what is not recorded, or the input does not fit. The
    /// executor is spent then, and nothing may be appended.
    pub fn activate(&mut self, at: Timestamp, input: EventKind) -> Result<Activation, Blocked> {
        let at = at.max(self.cell.now.get());
        let event = Event { id: self.last_event().next(), at, kind: input };
        self.cell.recorder.borrow_mut().begin_live(event.clone());
        self.run_activation(&event)?;
        let closed = self.cell.machine.borrow().state() == RunState::Closed;
        Ok(Activation {
            events: self.cell.recorder.borrow_mut().take_produced(),
            closed,
            has_undos: !closed && self.has_undos(),
            unwinding: !closed && self.is_unwinding(),
        })
    }

    /// The closure of an open step, also after a replay.
    #[must_use]
    pub fn step_body(&self, started: EventId) -> Option<StepBody> {
        match &self.cell.items.borrow().get(&started)?.kind {
            ItemKind::Step(body) => Some(Arc::clone(body)),
            ItemKind::Activity { .. } | ItemKind::Timer => None,
        }
    }

    /// Whether undos are registered, those of the workflow's own included, or run now.
    #[must_use]
    pub fn has_undos(&self) -> bool {
        self.cell.sagas.has_undos()
    }

    /// The steps whose undo is registered and has not run, in order of scheduling.
    #[must_use]
    pub fn undos(&self) -> Vec<EventId> {
        self.cell.sagas.registered.borrow().iter().copied().collect()
    }

    /// Whether a saga unwinds.
    #[must_use]
    pub fn is_unwinding(&self) -> bool {
        self.cell.sagas.unwinding.get() > 0
    }

    /// What waits for an operator's decision, by target.
    #[must_use]
    pub fn holds(&self) -> Vec<Hold> {
        let holds = self.cell.sagas.holds.borrow();
        holds.values().filter(|open| open.is_undecided()).map(|open| open.hold.clone()).collect()
    }

    /// What became of the sagas so far.
    #[must_use]
    pub fn compensation(&self) -> crate::history::Compensation {
        self.cell.compensation()
    }

    /// The last event of the history; 0 before the first.
    #[must_use]
    pub fn last_event(&self) -> EventId {
        self.cell.last.get()
    }

    /// Drops all futures without issuing anything.
    pub(super) fn drop_futures(&self) {
        self.cell.begin_dropping();
        // Futures hold contexts, and contexts hold the cell: taking them out breaks the cycle.
        let tasks = self.cell.tasks.borrow_mut().take_all();
        for (_, slot) in tasks {
            let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(slot)));
            if let Err(payload) = dropped {
                let message = end_panic(payload);
                tracing::warn!(
                    %message,
                    "a destructor in workflow code panicked while its run was dropped from memory"
                );
            }
        }
        self.cell.items.borrow_mut().clear();
        self.cell.cancel_waits.borrow_mut().clear();
        self.cell.sagas.holds.borrow_mut().clear();
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.drop_futures();
    }
}

/// Whether the engine closed the run with it.
fn is_engines_end(event: &Event) -> bool {
    event.kind.role() == Role::Close && !is_issued(&event.kind)
}
