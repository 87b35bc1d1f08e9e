//! The gate between an engine and its store.

mod claim;
mod commit;
mod forward;
mod hold;
mod keeper;

pub use claim::{Claim, ClaimAnswer};
pub use commit::Commit;
pub use keeper::Gate;
