//! Attribute and derive macros of Steadfast. Users name them through the `steadfast` package, which documents them
//! with examples; this package holds no logic of a running program.
//!
//! Each macro goes the same way: *parse* the tokens, *check* them into a model while collecting every mistake, and
//! *expand* the model. After a mistake the names that the user wrote are still emitted, so that one mistake gives
//! one message.

use proc_macro::TokenStream;

mod activity;
mod diagnostics;
mod duration;
mod failure;
mod function;
mod meta;
mod rebase;
mod select;
mod signature;
mod suggest;
mod workflow;

/// Makes an activity of an `async fn`, or activities of the marked methods of an impl block.
///
/// On a function `f` it makes a stub `f(scope, inputs…)` that returns an `ActivityCall`, and a type `f` that
/// implements `Activity`; the body is `f::run`. On an impl block the stubs and types stand in a module named like
/// the type in snake case, or as `module = name` says; the methods stay as they are.
///
/// Keys: `name`, `queue`, `start_to_close`, `schedule_to_start`, `schedule_to_close`, `heartbeat`, `cancel_grace`
/// (durations like `"1.5s"`, `"10m"`, `"2h"`), `retry(initial_interval, backoff_coefficient, maximum_interval,
/// maximum_attempts, jitter, maximum_retry_after, non_retryable = [..])`, `circuit_breaker(failures, successes, open,
/// key = "{region}")`, `compensate = undo`,
/// `idempotency_key = "order-{order.id}"`, and `crate = path` for a renamed package.
#[proc_macro_attribute]
pub fn activity(attribute: TokenStream, item: TokenStream) -> TokenStream {
    activity::expand(attribute.into(), &item.into()).into()
}

/// Makes a workflow of an `async fn` whose first parameter is `ctx: WorkflowContext`.
///
/// It keeps a function `w` and adds a type `w` that implements `Workflow`. The body is searched for calls that give
/// another answer when the workflow is replayed; `allow(clock)` and the like let a class of them through.
///
/// Keys: `name`, `version`, `allow(..)`, and `crate = path` for a renamed package.
#[proc_macro_attribute]
pub fn workflow(attribute: TokenStream, item: TokenStream) -> TokenStream {
    workflow::expand(attribute.into(), &item.into()).into()
}

/// Says of an error type what should happen next when an activity fails with it.
///
/// Marks, on the variants of an enum or on a struct: `#[failure(retryable)]` (the default), `no_effect`,
/// `retry_after = field`, `non_retryable`. On the type: `crate = path` for a renamed package.
#[proc_macro_derive(Failure, attributes(failure))]
pub fn failure(item: TokenStream) -> TokenStream {
    failure::expand(item.into()).into()
}

/// Waits for the first of several futures; polls them in the order written.
#[proc_macro]
pub fn select(arms: TokenStream) -> TokenStream {
    select::expand(arms.into()).into()
}
