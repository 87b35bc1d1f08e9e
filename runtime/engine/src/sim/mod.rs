//! A test facility: two engines on one memory store, stepped one action at a time from a seed.
//!
//! No thread, no waiting, no clock but one that the simulation moves. Engines die around any call of the store, or
//! sleep until their session has lapsed and another engine has taken their shards; store calls fail before or after
//! they had their effect; bodies end in any order, late or never. The same seed repeats the same run.
//!
//! Checked at every step: a run that was acknowledged keeps its id, an activity whose end is durable is not begun
//! again by an engine that lives. Checked at the end: every acknowledged result is the one in the history, every
//! history is well formed and replays, and once faults stop every run ends.

mod check;
mod client;
mod dice;
mod node;
mod plan;
mod program;
mod trap;
mod world;

pub use dice::Dice;
pub use plan::{SimBody, SimFailure, SimReport, Simulation};
pub use program::{
    Block, Call, Choice, LocalStep, Node, Observer, Program, ScriptedEnd, Seen, UndoCall, Wait, scripted_body,
};
