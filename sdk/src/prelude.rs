//! What most programs need: `use steadfast::prelude::*;`.
//!
//! `Serialize` and `Deserialize` come along; a program that derives them still names `serde` in its `Cargo.toml`.

pub use std::time::Duration;

pub use serde::{Deserialize, Serialize};

pub use crate::{
    Activity as _, ActivityCall, ActivityContext, ActivityError, AnyFailure, Cancelled, CircuitBreaker,
    Client, Engine, Failure, RetryPolicy, Saga, Scope, Timestamp, Undo, UndoOf, Workflow as _,
    WorkflowContext, WorkflowError, activities, activity, days, hours, join, join_all, millis, minutes, secs,
    select, try_join, try_join_all, workflow,
};
