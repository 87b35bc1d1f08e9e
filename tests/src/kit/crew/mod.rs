//! Several engines on one store.

mod engines;
mod run;
mod time;

pub use engines::{Crew, Skew};
