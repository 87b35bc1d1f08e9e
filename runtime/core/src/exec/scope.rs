//! Cancellation scopes: a tree along which a cancel reaches calls.

use std::cell::Cell;
use std::rc::Rc;

/// One scope. A disconnected one has no parent, so that no cancel from above reaches it.
#[derive(Debug)]
pub(crate) struct ScopeNode {
    parent: Option<Rc<ScopeNode>>,
    cancelled: Cell<bool>,
}

impl ScopeNode {
    pub(crate) fn root() -> Rc<Self> {
        Rc::new(Self { parent: None, cancelled: Cell::new(false) })
    }

    pub(crate) fn child(self: &Rc<Self>) -> Rc<Self> {
        Rc::new(Self { parent: Some(Rc::clone(self)), cancelled: Cell::new(false) })
    }

    /// Whether this scope or one above it was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.get() || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Marks the scope; says whether that is news.
    pub(crate) fn mark_cancelled(&self) -> bool {
        !self.cancelled.replace(true)
    }

    /// Whether this scope is `ancestor` or below it.
    pub(crate) fn is_within(self: &Rc<Self>, ancestor: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, ancestor) || self.parent.as_ref().is_some_and(|parent| parent.is_within(ancestor))
    }
}
