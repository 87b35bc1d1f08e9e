//! What a saga and those nested in it are to each other, when one of them ends while the other goes on in a task.
//!
//! **Invariant**: what a nested saga has registered is always somebody's: its own while it runs, that of the saga
//! around it once it has succeeded, or of the next one around if that has succeeded too. A saga that fails takes over
//! what runs in it, so that nothing is undone out of turn or left standing.

use std::rc::{Rc, Weak};

use super::entry::Entry;
use super::scope::{Inner, SagaScope};
use super::unwind::Unwinding;

/// How far a saga has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its body runs.
    Body,
    /// The body returned `Ok`; what is open and what was lost is seen to.
    Succeeding,
    /// It has succeeded.
    Succeeded,
    /// It has failed, or the saga around it has, or it was dropped.
    Failed,
}

impl SagaScope {
    /// The nearest saga that still has something to say in it, beginning with this one.
    pub(super) fn heir(&self) -> Option<Self> {
        let mut heir = Some(self);
        while let Some(saga) = heir {
            if saga.0.stage.get() != Stage::Succeeded {
                return Some(saga.clone());
            }
            heir = saga.0.parent.as_ref();
        }
        None
    }

    /// The nearest saga around this one that still has something to say.
    pub(super) fn around(&self) -> Option<Self> {
        self.0.parent.as_ref().and_then(Self::heir)
    }

    /// Nothing of this saga is undone before these have unwound.
    pub(super) fn wait_for(&self, nested: impl IntoIterator<Item = Self>) {
        let mut below = self.0.unwinding_below.borrow_mut();
        below.retain(|nested| nested.0.unwinding.borrow().is_some());
        below.extend(nested);
    }

    /// The saga around waits for what unwinds in this one.
    pub(super) fn hand_over_unwinding(&self) {
        if let Some(around) = self.around() {
            around.wait_for(self.0.unwinding_below.take());
        }
    }

    /// Remembers a saga that begins in this one.
    pub(super) fn adopt(&self, nested: &Rc<Inner>) {
        let mut all = self.0.nested.borrow_mut();
        all.retain(|nested| nested.upgrade().is_some_and(|nested| nested.is_alive()));
        all.push(Rc::downgrade(nested));
    }

    /// Gives what this saga has registered, and what goes on in it, to the saga around it. `false` if there is none.
    pub(super) fn hand_over(&self) -> bool {
        let Some(heir) = self.around() else { return false };
        self.hand_over_unwinding();
        let entries = self.0.entries.take().into_iter();
        heir.receive(entries.filter(|entry| entry.step().is_none_or(|step| step.undo.is_some())));
        for nested in self.0.nested.take().iter().filter_map(Weak::upgrade) {
            heir.adopt(&nested);
        }
        true
    }

    /// Takes what is registered in sagas that still run in this one, and lets them do no more.
    pub(super) fn take_over(&self) {
        for nested in self.0.nested.take().iter().filter_map(Weak::upgrade).map(Self) {
            if !nested.0.is_alive() {
                continue;
            }
            nested.0.stage.set(Stage::Failed);
            nested.take_over();
            // One that unwinds goes on with that, and this one waits for it.
            if nested.0.unwinding.borrow().is_some() {
                nested.unwind_more(Unwinding::All);
            } else {
                self.wait_for(nested.0.unwinding_below.take());
                self.receive(nested.0.entries.take().into_iter());
            }
        }
    }

    /// The saga around may have scheduled steps meanwhile: what counts is when each was scheduled.
    fn receive(&self, entries: impl Iterator<Item = Entry>) {
        let mut own = self.0.entries.borrow_mut();
        own.extend(entries);
        own.sort_by_key(Entry::place);
    }
}

impl Inner {
    /// Whether the saga can still register something, or has something that is not undone.
    fn is_alive(&self) -> bool {
        matches!(self.stage.get(), Stage::Body | Stage::Succeeding)
    }
}
