//! The reference model: the whole contract over plain ordered maps under one mutex.
//!
//! It is what every other store is compared with, and the store of tests and simulations: its clock stands still
//! until somebody moves it. It keeps everything in memory and nothing on disk; "reopening" it is using another clone.
//!
//! **Invariant**: a transition is checked completely before any of it is applied, and applying cannot fail.

mod breaker;
mod commit;
mod dead_letter;
mod due;
mod message;
mod request;
mod run;
mod session;
mod space;
mod store;
mod task;
mod visibility;

pub use store::{MemorySnapshot, MemoryStore};
