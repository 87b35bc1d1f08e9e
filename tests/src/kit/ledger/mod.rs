//! The outside service of the tests.

mod books;
mod reply;
mod service;

pub use books::{LedgerCall, LedgerEffect};
pub use reply::{Reply, ServiceError};
pub use service::Ledger;
