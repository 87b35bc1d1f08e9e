//! The bed: an engine, its store, its clock, and the service outside.

mod engine;
mod run;

pub(super) use engine::BEGINNING;
pub use engine::{Bed, QUEUE};
