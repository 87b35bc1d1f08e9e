//! What every store keeps: a few focused traits, with no driver types in them.
//!
//! A store handle serves one namespace. All methods block; whoever calls them keeps them off async threads. Ids,
//! times and sequence numbers are made by the caller, never by the store.
//!
//! **Invariants**: a transition is stored whole or not at all; when [`Commits::commit`] returns, what it reports as
//! committed is durable; a transition under an epoch that is not the shard's present one is refused.

mod breaker;
mod check;
mod commit;
mod dead_letter;
mod due;
mod error;
mod message;
mod request;
mod room;
mod run;
mod session;
mod status;
mod task;
mod visibility;

pub use breaker::{BreakerPage, BreakerRow, Breakers};
pub use check::{HistoryEnd, check_transition};
pub use commit::{Commits, Expected, Group, Refusal, Transition, Verdict, Write};
pub use dead_letter::{DeadLetterPage, DeadLetterRow, DeadLetters};
pub use due::{Due, DueEntry};
pub use error::{StoreError, StoreErrorKind};
pub use message::{InboxRow, MailRow, Messages};
pub use request::{RequestRow, Requests};
pub use room::{Room, StoreStats};
pub use run::{CurrentRow, HistoryRecord, ItemRow, RunHead, Runs};
pub use session::{ClaimError, SessionRow, Sessions, ShardRow};
pub use status::{RunStatus, UnknownRunStatus};
pub use task::{TaskRow, Tasks};
pub use visibility::{ListFilter, ListPage, ListPosition, ListingRow, Visibility};

/// Everything an engine needs of a store.
pub trait Store:
    Sessions
    + Commits
    + Runs
    + Due
    + Requests
    + Messages
    + Tasks
    + Visibility
    + DeadLetters
    + Breakers
    + Send
    + Sync
{
}

impl<S> Store for S where
    S: Sessions
        + Commits
        + Runs
        + Due
        + Requests
        + Messages
        + Tasks
        + Visibility
        + DeadLetters
        + Breakers
        + Send
        + Sync
{
}
