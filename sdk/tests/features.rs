//! The library as a user sees it, on a store in memory.

#[path = "features/client.rs"]
mod client;
#[path = "features/saga.rs"]
mod saga;
#[path = "features/scope.rs"]
mod scope;
#[path = "features/workflow.rs"]
mod workflow;
