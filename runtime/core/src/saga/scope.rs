//! A saga: its steps, its body, and what follows from the body's value.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Waker;

use super::entry::{Entry, settled};
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
    /// The body is over: no step can be added.
    closed: Cell<bool>,
    pub(super) parent: Option<SagaScope>,
    /// Nested sagas that unwind by themselves; this one's undos come after theirs.
    pub(super) unwinding_below: RefCell<Vec<SagaScope>>,
    pub(super) unwinding: RefCell<Option<Unwinding>>,
    /// Who waits for the unwinding to end.
    pub(super) waiter: RefCell<Option<Waker>>,
}

impl fmt::Debug for SagaScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SagaScope").field("number", &self.0.number).finish_non_exhaustive()
    }
}

impl RunContext {
    /// A saga in this scope, inside `parent` if one is given.
    #[must_use]
    pub fn saga(&self, parent: Option<&SagaScope>) -> SagaScope {
        let book = &self.cell.sagas;
        let number = book.newest.get() + 1;
        book.newest.set(number);
        SagaScope(Rc::new(Inner {
            context: self.clone(),
            number,
            entries: RefCell::new(Vec::new()),
            closed: Cell::new(false),
            parent: parent.cloned(),
            unwinding_below: RefCell::new(Vec::new()),
            unwinding: RefCell::new(None),
            waiter: RefCell::new(None),
        }))
    }
}

impl SagaScope {
    /// The context of the saga's calls.
    #[must_use]
    pub fn context(&self) -> &RunContext {
        &self.0.context
    }

    /// Whether the body is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.closed.get()
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
    /// The error that the body returned, whatever became of the undos.
    pub async fn run<T>(
        self,
        body: impl Future<Output = Result<T, WorkflowError>>,
    ) -> Result<T, WorkflowError> {
        let mut guard = Guard(Some(self.clone()));
        let result = body.await;
        self.0.closed.set(true);
        match result {
            Ok(value) => {
                settled(self.steps()).await;
                if self.has_losers() {
                    unwind(&self, Unwinding::Losers, "a step lost and the saga succeeded".to_owned()).await;
                }
                guard.0 = None;
                self.commit();
                Ok(value)
            }
            Err(error) => {
                guard.0 = None;
                unwind(&self, Unwinding::All, error.to_string()).await;
                Err(error)
            }
        }
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

    /// Hands what could be undone to the parent, or forgets it.
    fn commit(&self) {
        let entries = self.0.entries.take();
        if let Some(parent) = &self.0.parent {
            let keep =
                entries.into_iter().filter(|entry| entry.step().is_none_or(|step| step.undo.is_some()));
            let mut own = parent.0.entries.borrow_mut();
            own.extend(keep);
            // The parent may have scheduled steps meanwhile: what counts is when each was scheduled.
            own.sort_by_key(Entry::place);
            return;
        }
        let book = &self.0.context.cell.sagas;
        for entry in &entries {
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
        saga.0.closed.set(true);
        drop(unwind(&saga, Unwinding::All, "the saga was dropped before it ended".to_owned()));
    }
}
