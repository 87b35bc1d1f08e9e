//! The storage contract of Steadfast, its reference model, and the suite that every store passes.

pub mod conformance;
mod contract;
mod dice;
pub mod faults;
mod load;
mod memory;

pub use contract::{
    BreakerPage, BreakerRow, Breakers, ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow,
    DeadLetters, Due, DueEntry, Expected, Group, HistoryEnd, HistoryRecord, InboxRow, ItemRow, ListFilter,
    ListPage, ListPosition, ListingRow, MailRow, Messages, Refusal, RequestRow, Requests, Room, RunHead,
    RunStatus, Runs, SessionRow, Sessions, ShardRow, Store, StoreError, StoreErrorKind, StoreStats, TaskRow,
    Tasks, Transition, UnknownRunStatus, Verdict, Visibility, Write, check_transition,
};
pub use load::{LoadError, load_history, roll};
pub use memory::{MemorySnapshot, MemoryStore};
