//! A test facility: two engines on one memory store, stepped one action at a time from a seed.
//!
//! No thread, no waiting, no clock but one that the simulation moves. Engines die around any call of the store, sleep
//! until their session has lapsed and another engine has taken their shards, lose their session in the middle of a
//! call, or are shut down in order; calls fail before or after they had their effect, come late or twice, or reach
//! nobody for a while; writes arrive after their sender is gone; clocks differ and are set; bodies end in any order,
//! late, twice or never. The same seed repeats the same run, and gives the same trace.
//!
//! An onlooker between the engines and the store keeps books of everything that is committed (`books`). After every
//! action they must agree with what happened: one owner commits, histories only grow and are what the code does,
//! results are recorded once and as they were said, undos match their steps, nothing is begun or answered that is not
//! stored, slots in use are grants. Once nothing goes wrong any more every run ends and nothing is left over.

mod books;
mod cast;
mod dice;
mod digest;
mod fuse;
mod node;
mod outside;
mod plan;
mod program;
mod report;
mod time;
mod trace;
mod trap;
mod watched;
mod wish;
mod world;

pub use dice::Dice;
pub use plan::{SimBody, SimFailure, SimSabotage, Simulation};
pub use program::{
    Block, Call, Choice, LocalStep, Node, Observer, Program, ScriptedEnd, Seen, UndoCall, Wait, scripted_body,
};
pub use report::{DeathMoment, SimCounts, SimReport};
