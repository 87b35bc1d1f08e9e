//! The process that is killed: an engine, its worker, and callers who log what they are told.

mod activities;
mod audit;
mod caller;
mod client;
mod engine;
mod hook;
mod process;
mod watcher;
mod workflows;
mod world;

pub(crate) use process::run;
pub(crate) use workflows::definitions;
