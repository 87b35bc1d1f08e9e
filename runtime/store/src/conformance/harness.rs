//! How the suite gets at a store.

use std::time::Duration;

use crate::contract::Store;

/// A row that a [`Harness`] can damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damaged {
    /// The head of a run.
    Head,
    /// A history record.
    History,
    /// An open item.
    Item,
    /// A row of the list of runs.
    Listing,
    /// A row of a mailbox.
    Mail,
    /// A row of an inbox.
    Inbox,
    /// A dead letter.
    DeadLetter,
    /// A circuit breaker.
    Breaker,
}

/// One fresh store with at least four shards, and what can be done to it from outside.
pub trait Harness {
    /// The store.
    fn store(&self) -> &dyn Store;

    /// Gives the store up and opens it again from what is durable. A store in memory may do nothing.
    fn reopen(&mut self);

    /// Moves the store's clock; `false` if it cannot.
    fn advance(&mut self, by: Duration) -> bool {
        let _ = by;
        false
    }

    /// The same place under another namespace, with the same number of shards; `None` if there is only one.
    fn other_namespace(&mut self) -> Option<Box<dyn Store>> {
        None
    }

    /// Whether sessions outlive a reopening.
    fn sessions_survive(&self) -> bool {
        true
    }

    /// Changes a bit of the first stored row of a kind, behind the store's back; `false` if it cannot.
    fn damage(&mut self, row: Damaged) -> bool {
        let _ = row;
        false
    }
}
