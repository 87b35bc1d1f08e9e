//! The state machines, one small file each: a state, an event, and either the next state or a typed error.
//!
//! [`Task`] is the life of one activity or step as the engine drives it; the others are what a history may say,
//! and [`RunMachine`] routes each event of a history to the one it concerns.

mod activity;
mod compensation;
mod run;
mod step;
mod task;
mod timer;

pub use activity::ActivityState;
pub use compensation::CompensationState;
pub use run::{HistoryError, RunMachine, RunState};
pub use step::StepState;
pub use task::{BodySignal, Task, TaskEvent, TaskKind, TaskOutcome, TaskRefused, TaskState};
pub use timer::TimerState;

#[cfg(test)]
mod tests;

/// An event that does not fit the state it meets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{event} does not fit {machine} in state {state}")]
pub struct IllegalEvent {
    /// Which machine.
    pub machine: &'static str,
    /// Its state.
    pub state: String,
    /// The event.
    pub event: &'static str,
}
