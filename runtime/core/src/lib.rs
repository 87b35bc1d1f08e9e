//! The deterministic core of Steadfast: histories, replay, retries and sagas.
//!
//! Everything here is synchronous and pure: history in, commands out. There is no clock, no random source, no I/O,
//! no async runtime and no hash order; time and randomness are values that somebody passes in.

mod breaker;
pub mod codec;
mod error;
pub mod exec;
mod failure;
pub mod history;
mod id;
pub mod limits;
pub mod machine;
mod options;
pub mod panics;
mod payload;
mod retry;
mod saga;
mod time;

pub use breaker::{Breaker, BreakerState, CircuitBreaker, Verdict};
pub use error::{CallError, CallRefused, WorkflowError};
pub use failure::{
    ApplicationFailure, AttemptError, AttemptFailure, Disposition, Effect, Severity, TimeoutKind,
};
pub use history::kind::{EventCodecError, decode_events, encode_events};
pub use id::{
    ActivityName, Epoch, EventId, ID_BYTES_MAX, IdempotencyKey, InvalidId, Namespace, QueueName, RequestId,
    RunId, SessionId, ShardId, WorkflowId, WorkflowType,
};
pub use options::{ActivityOptions, CANCEL_GRACE, EffectiveOptions, UNDO_ATTEMPTS};
pub use payload::{Encoding, Payload, PayloadError, PayloadTooLarge};
pub use retry::{INTERVAL_MAX, InvalidRetryPolicy, RetryPolicy};
pub use saga::{
    Decided, Hold, HoldKind, SagaReport, SagaScope, StepReport, UndoCall, UndoState, saga_reports,
};
pub use time::Timestamp;
