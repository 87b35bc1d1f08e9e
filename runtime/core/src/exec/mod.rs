//! The deterministic executor: one input, one activation.
//!
//! An [`Executor`] holds the futures of one run. [`Executor::replay`] drives them through a recorded history to the
//! line where they stood; [`Executor::activate`] takes the next input, polls until everything stands still, and
//! returns the input with the commands that the code issued. It reads no clock and does no I/O; what the commands
//! ask for is done by somebody else, after they are durable.
//!
//! **Invariants**: replay is strictly positional; a failed replay or activation appends nothing; dropping an
//! executor issues no command. It is created, used and dropped on one thread.

mod activate;
mod blocked;
mod call;
mod cell;
mod close;
mod context;
mod executor;
mod item;
mod record;
mod scope;
mod spawn;
mod step_record;
mod tasks;
mod waker;

pub use blocked::{Blocked, Mismatch};
pub use call::{ActivityCallSpec, CallStart, StepCallSpec, UndoSpec};
pub use context::{CancelledFuture, RunContext, RunInfo};
pub use executor::{Activation, Definition, Executor, RunFuture, StepBody};
pub use item::{ItemFuture, Outcome};
pub use spawn::Spawned;

pub(crate) use call::Scheduling;
pub(crate) use cell::RunCell;
pub(crate) use step_record::StepRecord;
pub(crate) use tasks::TaskRole;

#[cfg(test)]
pub(crate) mod tests;
