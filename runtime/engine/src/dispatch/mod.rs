//! Slots and the tasks that wait for them.
//!
//! **Invariant**: while a worker has a free slot, no task that it could run waits: a slot that becomes free is
//! offered to the oldest such task at once.

mod queue;
mod slots;

pub(crate) use queue::{TaskRef, Want};
pub(crate) use slots::{Acquired, Dispatcher, Offer};

#[cfg(test)]
mod tests;
