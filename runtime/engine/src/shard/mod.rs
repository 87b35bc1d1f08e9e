//! Shards: each owns the runs whose ids hash to it.
//!
//! A [`Shard`] is a machine: it is stepped with a message and a time, reads the store inside the step, and returns
//! transitions to commit and what may be done. What a transition brings about is held back until the transition is
//! durable. Memory may run ahead of the store; nothing leaves it early.
//!
//! ```text
//! message ──► open a run ──► change it, activate it ──► submit: transition + effects
//!                                                            │
//!                       Committed ──► effects released ◄─────┘
//!                       Failed    ──► memory dropped, recovery from the store
//! ```
//!
//! **Invariants**: a run with transitions in flight stays in memory; an executor is thrown away rather than kept in
//! a state that the store will not reach; whatever cannot be read or activated blocks its own run and no other.

mod activate;
mod admit;
mod attempt;
mod breaker;
mod broken;
mod cache;
mod cancel;
mod close;
mod command;
mod decide;
mod describe;
mod estate;
mod grant;
mod items;
mod ledger;
mod load;
mod machine;
mod read;
mod recover;
mod run;
mod start;
mod submit;
mod terminate;
mod timer;
mod work;
mod workers;

pub(crate) use estate::{Desk, Estate};
pub(crate) use machine::{Shard, ShardSetup};
