//! A run that is dropped from memory after every activation has the same history as one that never is.

#[path = "eviction/drive.rs"]
mod drive;
#[path = "eviction/equality.rs"]
mod equality;
#[path = "eviction/workflows.rs"]
mod workflows;
