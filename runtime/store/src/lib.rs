//! The storage contract of Steadfast, its reference model, and the suite that every store passes.

mod contract;
mod load;

pub use contract::{
    ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow, DeadLetters, Due, DueEntry, Expected,
    Group, HistoryRecord, InboxRow, ItemRow, ListFilter, ListPage, ListPosition, ListingRow, MailRow,
    Messages, Refusal, RequestRow, Requests, RunHead, RunStatus, Runs, SessionRow, Sessions, ShardRow, Store,
    StoreError, StoreErrorKind, TaskRow, Tasks, Transition, Verdict, Visibility, Write,
};
pub use load::{LoadError, load_history, roll};
