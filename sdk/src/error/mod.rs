//! What workflow code sees when something does not succeed.

mod activity;
mod workflow;

pub use self::activity::{ActivityError, FailedCall, LastError, StepError};
pub use self::workflow::WorkflowError;

/// The scope was cancelled while the code waited in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

#[cfg(test)]
mod tests;
