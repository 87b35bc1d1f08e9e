//! Durable workflows as async Rust functions: sagas, retries and deterministic replay, in a library.
//!
//! A *workflow* is an `async fn` marked [`#[workflow]`](macro@workflow). What it does to the world it does through
//! *activities*, functions marked [`#[activity]`](macro@activity): each call, each result and each wait is recorded in
//! the run's *history*. After a crash the history is replayed, and the function goes on from the line where it stood.
//!
//! ```
//! use steadfast::prelude::*;
//!
//! #[activity(start_to_close = "15s", compensate = cancel_hotel)]
//! async fn book_hotel(ctx: ActivityContext, hotel: String) -> Result<String, AnyFailure> {
//!     Ok(format!("{hotel}, booked under {}", ctx.idempotency_key()))
//! }
//!
//! #[activity]
//! async fn cancel_hotel(step: UndoOf<book_hotel>) -> Result<(), AnyFailure> {
//!     println!("cancel {:?}", step.output);
//!     Ok(())
//! }
//!
//! #[workflow]
//! async fn book_tour(ctx: WorkflowContext, hotel: String) -> Result<String, WorkflowError> {
//!     ctx.saga(async |saga| {
//!         let booking = book_hotel(saga, hotel).await?;
//!         // … an error from here on cancels the hotel
//!         Ok(booking)
//!     })
//!     .await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::open("memory:").await?; // or "./tours": a directory
//! engine.worker("tours").workflow(book_tour).activities(activities![book_hotel, cancel_hotel]).start().await?;
//! let handle = engine.client().start(book_tour, "Ritz".to_owned()).id("tour-991").queue("tours").await?;
//! assert!(handle.result().await?.starts_with("Ritz"));
//! # engine.shutdown().await;
//! # Ok(()) }
//! ```
//!
//! # Where to look
//!
//! - [`WorkflowContext`]: what a workflow can do; [`Saga`]: undoing what was done.
//! - [`ActivityCall`]: timeouts, retries and keys of one call; [`ActivityContext`]: what a body is told.
//! - [`Failure`](trait@Failure): what should happen after an error; [`ActivityError`], [`WorkflowError`]: how it
//!   arrives.
//! - [`Engine`], [`WorkerBuilder`], [`Client`]: running all of it.
//!
//! # What is guaranteed
//!
//! A call that was acknowledged is in the store. A result that was recorded is not computed again. An activity may
//! run more than once: if a process dies between the effect and its record, nobody can know. That is what
//! [`ActivityContext::idempotency_key`] is for, the same in every attempt.

mod activity;
mod activity_context;
mod activity_set;
mod call;
mod client;
mod combinator;
mod context;
mod data;
mod durations;
mod engine;
mod error;
mod failure;
mod pending;
pub mod prelude;
mod private;
mod saga;
mod scope;
mod undo;
mod workflow;

/// What generated code calls. Not for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::client::{
        CancelCall, Client, DEFAULT_QUEUE, DecideCall, Operator, RunActivityCall, RunActivityError, RunError,
        RunHandle, StartCall, StartError, TerminateCall, WorkflowHandle,
    };
    pub use crate::combinator::{JoinTuple, TryJoinTuple, join_tuple, try_join_tuple};
    pub use crate::private::*;
}

// The macros name this package by its own name, in its tests too.
#[cfg(test)]
extern crate self as steadfast;

pub use steadfast_core::exec::{RunInfo, Spawned};
pub use steadfast_core::history;
pub use steadfast_core::{
    ActivityName, ActivityOptions, ApplicationFailure, AttemptError, AttemptFailure, BreakerState, CallError,
    CallRefused, CircuitBreaker, Decided, Disposition, Effect, EventId, Hold, HoldKind, IdempotencyKey,
    InvalidId, Payload, PayloadError, PayloadTooLarge, QueueName, RequestId, RetryPolicy, RunId, SagaReport,
    Severity, StepReport, TimeoutKind, Timestamp, UndoCall, UndoState, WorkflowId, WorkflowType,
};
#[doc(hidden)]
pub use steadfast_engine::Sabotage;
pub use steadfast_engine::{
    ActivityState, AttemptInfo, BreakerDescription, BreakerError, BreakerOrder, BreakerPosition, DeadLetter,
    DeadLetterPosition, DecideError, EVICT_VARIABLE, EndError, EngineClock, EngineConfig, FailPoint,
    HEARTBEAT_DETAILS_MAX, Health, IdConflictPolicy, IdReusePolicy, ListError, ManualClock, OpenActivity,
    OpenTimer, Ordered, ReadError, RunDescription, RunOutcome, Unavailable,
};
/// Says of an error type what should happen next when an activity fails with it; see
/// [the trait](trait@Failure), which lists the marks.
pub use steadfast_macros::Failure;
/// Makes an activity of an `async fn`, or activities of the marked methods of an impl block.
///
/// On a function it makes a *stub* of the same name, which workflows call with a [`Scope`] before the inputs, and a
/// type of the same name, which [`activities!`], [`UndoOf`] and the like name. The body is `name::run`, for unit
/// tests. If the body needs to know about its attempt, its first parameter is an [`ActivityContext`].
///
/// ```
/// use steadfast::prelude::*;
///
/// /// Charges a card, once for each order.
/// #[activity(
///     queue = "payments",
///     start_to_close = "15s",
///     schedule_to_close = "2h",
///     retry(initial_interval = "500ms", maximum_attempts = 10),
///     compensate = refund,
///     idempotency_key = "order-{order}",
/// )]
/// async fn charge_card(order: u64, cents: u64) -> Result<u64, AnyFailure> {
///     Ok(order + cents)
/// }
///
/// #[activity]
/// async fn refund(step: UndoOf<charge_card>) -> Result<(), AnyFailure> {
///     let (_order, _cents) = step.input; // several inputs are a tuple
///     Ok(())
/// }
/// ```
///
/// Activities that share a value are methods; the stubs stand in a module named like the type in snake case, or as
/// `module = name` says:
///
/// ```
/// use steadfast::prelude::*;
///
/// struct Payments {
///     currency: String,
/// }
///
/// #[activity]
/// impl Payments {
///     #[activity(start_to_close = "15s")]
///     async fn charge(&self, cents: u64) -> Result<String, AnyFailure> {
///         Ok(format!("{cents} {}", self.currency))
///     }
/// }
///
/// #[workflow]
/// async fn pay(ctx: WorkflowContext, cents: u64) -> Result<String, WorkflowError> {
///     Ok(payments::charge(&ctx, cents).await?)
/// }
///
/// fn serve(engine: &Engine) {
///     let payments = Payments { currency: "EUR".to_owned() };
///     let _worker = engine.worker("payments").workflow(pay).activities(payments);
/// }
/// # fn main() {}
/// ```
///
/// Such a block stands in a module, not in the body of a function: the generated module sees the outer module's names
/// only.
///
/// # Keys
///
/// | Key | Meaning |
/// | --- | --- |
/// | `name = "…"` | the name that is recorded; without it, that of the function |
/// | `queue = "…"` | the task queue; without it, the workflow's |
/// | `start_to_close`, `schedule_to_start`, `schedule_to_close`, `heartbeat` | limits, as in [`ActivityCall`] |
/// | `cancel_grace` | how long a cancelled body may go on |
/// | `retry(..)` | the parts of a [`RetryPolicy`] by their names |
/// | `circuit_breaker(failures, successes, open, key)` | holds attempts back after so many failures in a row, see [`CircuitBreaker`]; `key = "{region}"` makes one for each value of an input |
/// | `compensate = undo` | the activity that undoes it |
/// | `undo = "operator"` | that undo waits for approval: see [`UndoMode`]; `"auto"` is the default |
/// | `idempotency_key = "order-{order.id}"` | the key, made of the inputs |
/// | `module = name` | on an impl block: the module of its stubs |
/// | `crate = path` | this package, where it has another name |
///
/// Durations are texts: `"500ms"`, `"1.5s"`, `"10m"`, `"2h"`, `"3d"`.
///
/// # Limits
///
/// An activity is recorded by name, so it has no type parameters and no `impl Trait`. Inputs and results are
/// [`Data`], at least as visible as the function, and at most eight inputs. The type that the macro makes stands in
/// the namespace of types: an activity is not named like a module or a package that the same file uses.
pub use steadfast_macros::activity;
/// Waits for the first of several futures, polled in the order written, and runs its handler.
///
/// An arm is `pattern = future => handler`, or `pattern = future, if condition => handler`; an arm whose condition is
/// false is not polled. The losers are dropped before the handler runs, which cancels their calls; to keep one, give a
/// reference: `&mut call`.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn search(site: String) -> Result<u64, AnyFailure> { Ok(site.len() as u64) }
/// # async fn w(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
/// let found = select! {
///     found = search(&ctx, "a".to_owned()) => found?,
///     found = search(&ctx, "b".to_owned()) => found?,
///     _ = ctx.sleep(minutes(1)) => 0,
/// };
/// # Ok(found) }
/// ```
///
/// # Panics
///
/// If every arm has a condition and all of them are false.
pub use steadfast_macros::select;
/// Makes a workflow of an `async fn` whose first parameter is a [`WorkflowContext`].
///
/// The function is what is passed to [`Client::start`] and [`WorkerBuilder::workflow`]; several inputs are a tuple
/// there. A type of the same name implements [`Workflow`].
///
/// ```
/// use steadfast::prelude::*;
///
/// #[workflow(name = "nap", version = 2)]
/// async fn nap(ctx: WorkflowContext, minutes: u64) -> Result<u64, WorkflowError> {
///     ctx.sleep(steadfast::minutes(minutes)).await?;
///     Ok(minutes)
/// }
/// ```
///
/// # Determinism
///
/// The body is searched for what gives another answer at replay: clocks, random numbers, threads, tokio's tasks and
/// timers, files, sockets, the environment, and iteration over hash maps. Each is an error that names the
/// alternative. What runs once, inside [`step`](WorkflowContext::step) and
/// [`side_effect`](WorkflowContext::side_effect), is exempt, and `#[workflow(allow(clock))]` and the like let a class
/// through: `clock`, `random`, `thread`, `spawn`, `tokio`, `env`, `process`, `fs`, `net`, `hash`.
///
/// # Keys
///
/// `name = "…"`, `version = 2` (1 without it), `allow(..)`, and `crate = path` where this package has another name.
pub use steadfast_macros::workflow;
pub use steadfast_store as store;
pub use steadfast_store::{ListFilter, ListPage, ListPosition, ListingRow, RunStatus};
pub use uuid::Uuid;

pub use crate::activity::{Activity, StubFn};
pub use crate::activity_context::{ActivityContext, HeartbeatError};
pub use crate::activity_set::{Activities, ActivitySet};
pub use crate::call::{ActivityCall, UndoMode};
pub use crate::client::{
    CancelCall, CircuitBreakerHandle, Client, DEFAULT_QUEUE, DecideCall, Operator, RunActivityCall,
    RunActivityError, RunError, RunHandle, StartCall, StartError, TerminateCall, WorkflowHandle,
};
pub use crate::combinator::{JoinAll, TryJoinAll, join_all, try_join_all};
pub use crate::context::{CancelScope, CancelledFuture, Sleep, StepCall, WorkflowContext};
pub use crate::data::Data;
pub use crate::durations::{days, hours, millis, minutes, secs};
pub use crate::engine::{Engine, OpenError, Worker, WorkerBuilder, WorkerError};
pub use crate::error::{ActivityError, Cancelled, FailedCall, LastError, StepError, WorkflowError};
pub use crate::failure::{AnyFailure, Failure};
pub use crate::saga::{Saga, SagaCall};
pub use crate::scope::Scope;
pub use crate::undo::{Undo, UndoOf};
pub use crate::workflow::{Workflow, WorkflowFn, WorkflowFuture};

/// The README's program is compiled with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
