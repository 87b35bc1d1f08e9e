//! The gate between an engine and its store.

mod commit;
mod forward;
mod keeper;

pub use commit::Commit;
pub use keeper::Gate;
