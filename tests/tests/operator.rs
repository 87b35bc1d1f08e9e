//! Sagas that wait for an operator, on every store.

#[path = "operator/approvals.rs"]
mod approvals;
#[path = "operator/decisions.rs"]
mod decisions;
#[path = "operator/disturbed.rs"]
mod disturbed;
#[path = "operator/refusals.rs"]
mod refusals;
#[path = "operator/shop.rs"]
mod shop;
