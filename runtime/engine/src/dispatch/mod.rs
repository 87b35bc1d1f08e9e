//! Slots and the tasks that wait for them.
//!
//! **Invariant**: while a worker has a free slot, no task that it could run waits: a slot that becomes free is
//! offered to the oldest such task at once.

mod breakers;
mod circuit;
mod queue;
mod slots;

pub(crate) use breakers::{BreakerBody, BreakerId, Breakers};
pub use breakers::{BreakerOrder, Ordered};
pub(crate) use circuit::Changed;
pub(crate) use queue::{TaskRef, Want};
pub(crate) use slots::{Acquired, Dispatcher, Offer, Seek, Slot};

#[cfg(test)]
mod tests;
