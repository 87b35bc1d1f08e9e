//! A decorator that lets calls of a store go wrong: before they happened, after they happened, late, or twice.
//!
//! What goes wrong is a [`FaultPlan`]: named calls, or chances from a seed, or both. A decision depends on the seed,
//! the kind of call and its number among those of its kind only, so the order in which threads call does not change
//! it; a printed plan repeats a run. Nothing here sleeps: a delay is a call of the hook.

mod forward;
mod plan;
mod store;

pub use plan::{CallKind, Fault, FaultPlan, FaultRates};
pub use store::{Call, DuplicatedCommit, FaultStore, Injected, Phase};
