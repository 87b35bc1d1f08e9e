//! The life of one activity or step outside its history: attempts, waits, timeouts, cancellation.
//!
//! ```text
//!            granted                failed, may try again
//! Pending ───────────► Running ──────────────────────────► RetryWait
//!    ▲                    │ handed back                        │ time is up
//!    └────────────────────┴────────────────────────────────────┘
//! any of them ── result, final failure, timeout, cancel ──► closed, with the event that says so
//! ```
//!
//! **Invariants**: attempt numbers rise; what belongs to an attempt that is not the current one is refused and
//! moves no deadline; after a cancel was asked for, only a success closes as completed.

mod close;
mod state;
mod transition;

pub use state::{Task, TaskKind, TaskState};
pub use transition::{BodySignal, TaskEvent, TaskOutcome, TaskRefused};

#[cfg(test)]
mod tests;
