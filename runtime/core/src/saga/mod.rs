//! Sagas: every step is known from the moment it is scheduled, and what may have happened is undone in LIFO order.
//!
//! **Invariants**: undos run one at a time, in a scope that no cancel reaches, in reverse order of scheduling; a
//! step needs no undo only if it is known that nothing happened; once unwinding has begun it goes on as a task of
//! the run, whatever becomes of the future that waits for it.

mod entry;
mod hold;
mod nested;
mod report;
mod scope;
mod undo;
mod unwind;
mod unwinder;

pub(crate) use hold::OpenHold;
pub use hold::{Hold, HoldKind};
pub use report::{Decided, SagaReport, StepReport, UndoCall, UndoState, saga_reports};
pub use scope::SagaScope;

#[cfg(test)]
mod tests;
