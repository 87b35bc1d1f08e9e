//! Shards, commit pipeline, timers, dispatch and client of Steadfast.
//!
//! Everything that decides something is a machine, stepped with a message and a time: shards, the committer, the
//! timer wheel, the dispatcher, the session keeper. None of them has a thread, a clock or a channel. The runners put
//! them on threads; [`sim`] steps them one by one from a seed.

mod activity;
mod client;
mod clock;
mod committer;
mod config;
mod dispatch;
mod error;
mod head;
mod message;
mod random;
mod registry;
mod reply;
mod runner;
mod session;
mod shard;
mod shared;
pub mod sim;
mod watch;
mod wheel;

pub use activity::{ActivityBody, ActivityContext, AttemptInfo, HEARTBEAT_DETAILS_MAX};
pub use client::{
    ActivityRequest, ActivityState, BreakerDescription, BreakerPosition, BreakerRequest, CancelRequest,
    Client, DeadLetter, DeadLetterPosition, DecideRequest, IdConflictPolicy, IdReusePolicy, OpenActivity,
    OpenTimer, RunDescription, RunOutcome, RunSelector, StartRequest, Started, TerminateRequest,
};
pub use clock::{EngineClock, ManualClock};
pub use config::{EVICT_VARIABLE, EngineConfig, FailPoint};
#[doc(hidden)]
pub use config::{Sabotage, WatchSettings};
pub use dispatch::{BreakerOrder, Ordered};
pub use error::{
    BreakerError, DecideError, EndError, ListError, OpenError, ReadError, StartError, Unavailable,
};
pub use registry::SLOTS;
pub use runner::{Engine, Worker, WorkerBuilder, WorkerError};
#[doc(hidden)]
pub use watch::Used;
pub use watch::{GIVEN_UP_MAX, Health};
