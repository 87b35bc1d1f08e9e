//! What the body of an activity is told, and can say, while it runs.

use std::fmt;

use serde::Serialize;
use steadfast_core::{EventId, IdempotencyKey, Payload, PayloadError, PayloadTooLarge, RunId, Timestamp};
use steadfast_engine::AttemptInfo;

use crate::data::Data;
use crate::private;

/// What the body of an activity can ask and say. Cheap to clone.
///
/// An activity takes it as its first parameter if it needs it:
///
/// ```
/// use steadfast::prelude::*;
///
/// #[activity(heartbeat = "30s")]
/// async fn import(ctx: ActivityContext, rows: Vec<String>) -> Result<u64, AnyFailure> {
///     let done: usize = ctx.heartbeat_details().unwrap_or(0); // where the last attempt came to
///     for (index, row) in rows.iter().enumerate().skip(done) {
///         println!("{} {row}", ctx.idempotency_key());
///         ctx.heartbeat(index + 1)?;
///     }
///     Ok(rows.len() as u64)
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// // The body by itself, without an engine:
/// let imported = import::run(ActivityContext::for_test(), vec!["a".to_owned()]).await;
/// assert_eq!(imported.unwrap(), 1);
/// # }
/// ```
#[derive(Clone)]
pub struct ActivityContext {
    attempt: steadfast_engine::ActivityContext,
}

impl ActivityContext {
    pub(crate) fn new(attempt: steadfast_engine::ActivityContext) -> Self {
        Self { attempt }
    }

    /// A context that belongs to no engine, for tests of a body: the first attempt, with the key `test`. It is never
    /// cancelled, and heartbeats go nowhere.
    #[must_use]
    pub fn for_test() -> Self {
        #[expect(clippy::expect_used, reason = "constants that are valid names")]
        fn name<T, E: fmt::Debug>(name: Result<T, E>) -> T {
            name.expect("a valid name")
        }
        Self::new(steadfast_engine::ActivityContext::detached(AttemptInfo {
            workflow_id: name(steadfast_core::WorkflowId::new("test")),
            workflow_type: name(steadfast_core::WorkflowType::new("test")),
            run_id: RunId::from_bytes([0; 16]),
            scheduled: EventId(2),
            activity: private::activity_name("test"),
            queue: private::queue("test"),
            attempt: 1,
            idempotency_key: name(IdempotencyKey::new("test")),
            scheduled_at: Timestamp::ZERO,
            started_at: Timestamp::ZERO,
            details: None,
            heartbeat: None,
            start_to_close: None,
        }))
    }

    /// What makes all attempts one effect outside: the same for every attempt, and for no other call. A service that
    /// takes such a key acts once, however often it is asked.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        self.info().idempotency_key.as_str()
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.info().attempt
    }

    /// What the attempt is: its workflow, its queue, its times.
    #[must_use]
    pub fn info(&self) -> &AttemptInfo {
        self.attempt.info()
    }

    /// Says that the body is alive, and what the next attempt should know if this one fails. Never waits: what was
    /// said is written from time to time, and always with a failure.
    ///
    /// # Errors
    ///
    /// [`HeartbeatError`] if the details cannot be written or are larger than 4 KiB. Nothing was said then.
    pub fn heartbeat(&self, details: impl Serialize) -> Result<(), HeartbeatError> {
        let details = Payload::json(&details)?;
        Ok(self.attempt.heartbeat(Some(details))?)
    }

    /// What the last attempt that said something said last; `None` if there is nothing, or it is no `T`.
    #[must_use]
    pub fn heartbeat_details<T: Data>(&self) -> Option<T> {
        self.info().details.as_ref().and_then(|details| T::from_payload(details).ok())
    }

    /// Whether the body is asked to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.attempt.is_cancelled()
    }

    /// Waits until the body is asked to end because its workflow no longer wants it. After the `cancel_grace` of the
    /// activity its future is dropped.
    ///
    /// A body whose time is over is dropped at once, and one that still runs at the end of a shutdown's grace is
    /// handed back; neither is asked.
    pub async fn cancelled(&self) {
        self.attempt.cancelled().await;
    }
}

impl fmt::Debug for ActivityContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.attempt.fmt(f)
    }
}

/// A heartbeat that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeartbeatError {
    /// The details cannot be written as JSON.
    #[error("the details of the heartbeat cannot be written")]
    Unwritable(#[from] PayloadError),
    /// The details are larger than a heartbeat may carry.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
}
