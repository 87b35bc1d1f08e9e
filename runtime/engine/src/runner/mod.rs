//! The threads, channels and clocks around the machines; the only place that has them.
//!
//! - a few threads that own the shards and run workflow code,
//! - one that commits,
//! - one that keeps the session,
//! - one that reads lists,
//! - one that looks after the threads that run workflow code,
//! - a tokio runtime for activity bodies.

mod bodies;
mod committing;
mod contained;
mod engine;
mod keeping;
mod reading;
mod router;
mod seat;
mod sharding;
mod shutdown;
mod supervise;
mod threads;
mod watchdog;
mod worker;

pub use engine::Engine;
pub use worker::{Worker, WorkerBuilder, WorkerError};

pub(crate) use engine::Inner;
pub(crate) use reading::settle;
pub(crate) use router::refuse;
