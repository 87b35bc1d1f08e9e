//! Random workflow programs: trees that are drawn from a seed, printed, run, changed and made smaller.
//!
//! A [`Program`] has everything that workflow code can do in the core: activities with retries and timeouts, timers,
//! steps, side effects, joins, races with losers, tasks, scopes that are cancelled, sagas inside sagas, branches on
//! results, on the run's random numbers and on its time. [`Program::definition`] is the workflow function;
//! [`Program::bodies`] are activities whose outcomes follow from a seed. What the code sees on its way can be watched
//! ([`Seen`]), so that a test can compare it between a live run and a replay.
//!
//! **Invariants**: the same seed gives the same program; a program is deterministic by construction, and comes to its
//! end once everything that it waits for is over.

mod change;
mod draw;
mod interpret;
mod parts;
mod script;
mod seen;
mod show;
mod shrink;
mod tree;

pub use script::{ScriptedEnd, scripted_body};
pub use seen::{Observer, Seen};
pub use tree::{Block, Call, Choice, LocalStep, Node, Program, UndoCall, Wait};

#[cfg(test)]
mod tests;
