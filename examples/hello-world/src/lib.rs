//! The smallest Steadfast program: one activity, one workflow.

pub mod activities;
pub mod workflows;
