//! A saga: its steps, its body, and what follows from the body's value.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::Waker;

use super::entry::{Entry, settled};
use super::nested::Stage;
use super::unwind::{Unwinding, unwind};
use crate::error::WorkflowError;
use crate::exec::{RunContext, StepRecord};

/// A saga in progress. Cheap to clone.
#[derive(Clone)]
pub struct SagaScope(pub(super) Rc<Inner>);

pub(super) struct Inner {
    pub(super) context: RunContext,
    /// Its number in the run, from 1.
    pub(super) number: u32,
    /// By place, the oldest first.
    pub(super) entries: RefCell<Vec<Entry>>,
    pub(super) stage: Cell<Stage>,
    pub(super) parent: Option<SagaScope>,
    /// Sagas that began in it; those that are over may be missing.
    pub(super) nested: RefCell<Vec<Weak<Inner>>>,
    /// Nested sagas that unwind by themselves; this one's undos come after theirs.
    pub(super) unwinding_below: RefCell<Vec<SagaScope>>,
    pub(super) unwinding: RefCell<Option<Unwinding>>,
    /// Who waits for the unwinding to end.
    pub(super) waiter: RefCell<Option<Waker>>,
    /// Undos that did not succeed wait for an operator.
    pub(super) holds_for_operator: Cell<bool>,
}

impl fmt::Debug for SagaScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SagaScope").field("number", &self.0.number).finish_non_exhaustive()
    }
}

impl RunContext {
    /// A saga in this scope, inside `parent` if one is given. Inside one that has failed it is over from the start.
    #[must_use]
    pub fn saga(&self, parent: Option<&SagaScope>) -> SagaScope {
        let parent = parent.and_then(SagaScope::heir);
        let is_late = parent.as_ref().is_some_and(|parent| parent.0.stage.get() == Stage::Failed);
        let book = &self.cell.sagas;
        let number = book.newest.get() + 1;
        book.newest.set(number);
        let holds = parent.as_ref().is_some_and(|parent| parent.0.holds_for_operator.get());
        let inner = Rc::new(Inner {
            context: self.clone(),
            number,
            entries: RefCell::new(Vec::new()),
            stage: Cell::new(if is_late { Stage::Failed } else { Stage::Body }),
            parent,
            nested: RefCell::new(Vec::new()),
            unwinding_below: RefCell::new(Vec::new()),
            unwinding: RefCell::new(None),
            waiter: RefCell::new(None),
            holds_for_operator: Cell::new(holds),
        });
        if let Some(parent) = &inner.parent {
            parent.adopt(&inner);
        }
        SagaScope(inner)
    }
}

impl SagaScope {
    /// The context of the saga's calls.
    #[must_use]
    pub fn context(&self) -> &RunContext {
        &self.0.context
    }

    /// Its number in the run, from 1, in order of creation.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// Whether the body is over, or the saga around this one has failed: no step can be added.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.stage.get() != Stage::Body
    }

    /// An undo that does not succeed waits for an operator, once the others have run. Sagas that are begun inside
    /// this one from now on do the same.
    pub fn hold_for_operator(&self) {
        self.0.holds_for_operator.set(true);
    }

    /// Registers code of the workflow's own. Its place is after the last step scheduled before it.
    ///
    /// After the body is over nothing is registered.
    pub fn on_undo(
        &self,
        undo: impl FnOnce(RunContext) -> Pin<Box<dyn Future<Output = Result<(), WorkflowError>>>> + 'static,
    ) {
        if self.is_closed() {
            return;
        }
        let cell = &self.0.context.cell;
        let book = &cell.sagas;
        book.own.set(book.own.get() + 1);
        book.newest_own.set(book.newest_own.get() + 1);
        let place = (cell.last.get(), book.newest_own.get());
        self.0.entries.borrow_mut().push(Entry::Own(place, Box::new(undo)));
    }

    pub(crate) fn register(&self, step: StepRecord) -> Rc<StepRecord> {
        let step = Rc::new(step);
        if step.undo.is_some() {
            self.0.context.cell.sagas.registered.borrow_mut().insert(step.id);
        }
        self.0.entries.borrow_mut().push(Entry::Step(Rc::clone(&step)));
        step
    }

    pub(super) fn steps(&self) -> Vec<Rc<StepRecord>> {
        self.0.entries.borrow().iter().filter_map(Entry::step).cloned().collect()
    }

    /// Runs the body. Its value decides: `Ok` commits the saga, any `Err` unwinds it and goes on after that.
    ///
    /// A step that is open when the body returns `Ok` is awaited; one whose result never reached the code is undone
    /// alone. Dropping the future unfinished unwinds the saga as a task of the run.
    ///
    /// # Errors
    ///
    /// The error that the body returned, whatever became of the undos; and one of its own if the saga around this one
    /// has failed meanwhile, which undoes the steps of both.
    pub async fn run<T>(
        self,
        body: impl Future<Output = Result<T, WorkflowError>>,
    ) -> Result<T, WorkflowError> {
        let mut guard = Guard(Some(self.clone()));
        let result = body.await;
        let value = match result {
            Ok(value) => value,
            Err(error) => {
                guard.0 = None;
                unwind(&self, Unwinding::All, error.to_string()).await;
                return Err(error);
            }
        };
        if self.0.stage.get() == Stage::Body {
            self.0.stage.set(Stage::Succeeding);
            settled(self.steps()).await;
        }
        if self.0.stage.get() == Stage::Succeeding && self.has_losers() {
            unwind(&self, Unwinding::Losers, "a step lost and the saga succeeded".to_owned()).await;
        }
        guard.0 = None;
        if self.0.stage.get() == Stage::Failed {
            return Err(WorkflowError::fail("the saga around this one has failed"));
        }
        self.commit();
        Ok(value)
    }

    /// Steps whose result never reached the code and that may have had an effect.
    pub(super) fn is_loser(entry: &Entry) -> bool {
        entry
            .step()
            .is_some_and(|step| step.dropped.get() && !step.delivered.get() && step.needed_undo().is_some())
    }

    fn has_losers(&self) -> bool {
        self.0.entries.borrow().iter().any(Self::is_loser)
    }

    /// Hands what could be undone to the saga around, or forgets it.
    fn commit(&self) {
        self.0.stage.set(Stage::Succeeded);
        if self.hand_over() {
            return;
        }
        let book = &self.0.context.cell.sagas;
        for entry in &self.0.entries.take() {
            match entry {
                Entry::Step(step) => {
                    book.registered.borrow_mut().remove(&step.id);
                }
                Entry::Own(..) => book.own.set(book.own.get().saturating_sub(1)),
            }
        }
    }
}

/// A saga whose future is dropped unfinished unwinds as a task of the run.
struct Guard(Option<SagaScope>);

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(saga) = self.0.take() else { return };
        if saga.0.context.cell.is_halted() {
            return;
        }
        drop(unwind(&saga, Unwinding::All, "the saga was dropped before it ended".to_owned()));
    }
}
