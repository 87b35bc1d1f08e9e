//! What runs an activity: its body, and what the body can ask and say while it runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use steadfast_core::{
    ActivityName, AttemptError, EventId, IdempotencyKey, Payload, PayloadTooLarge, QueueName, RunId, ShardId,
    Timestamp, WorkflowId, WorkflowType,
};
use tokio::sync::{Notify, watch};

/// The body of an activity, without its types.
pub type ActivityBody =
    Arc<dyn Fn(ActivityContext, Payload) -> BoxFuture<'static, Result<Payload, AttemptError>> + Send + Sync>;

/// The most bytes that heartbeat details may have.
pub const HEARTBEAT_DETAILS_MAX: u64 = 4 * 1024;
/// The longest time that heartbeat details stay unwritten.
const FLUSH_MAX: Duration = Duration::from_secs(30);

/// Names one attempt for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AttemptKey {
    pub(crate) shard: ShardId,
    pub(crate) run: RunId,
    /// The `ActivityScheduled` or `StepStarted`.
    pub(crate) item: EventId,
    pub(crate) attempt: u32,
}

/// What an attempt is told about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptInfo {
    /// The workflow that wants it.
    pub workflow_id: WorkflowId,
    /// The registered function of that workflow.
    pub workflow_type: WorkflowType,
    /// The run.
    pub run_id: RunId,
    /// The event that scheduled the activity.
    pub scheduled: EventId,
    /// The activity.
    pub activity: ActivityName,
    /// The queue it came from.
    pub queue: QueueName,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The key: the same for every attempt.
    pub idempotency_key: IdempotencyKey,
    /// When the activity was scheduled.
    pub scheduled_at: Timestamp,
    /// When this attempt was granted.
    pub started_at: Timestamp,
    /// The newest heartbeat details of an earlier attempt.
    pub details: Option<Payload>,
    /// How long the attempt may be silent.
    pub heartbeat: Option<Duration>,
    /// How long the attempt may take.
    pub start_to_close: Option<Duration>,
}

/// How urgently a body is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    /// Not at all.
    Run,
    /// Asked to end; the shard sees to the rest.
    Cancel,
    /// Asked to end; its future is dropped after this long, and nobody waits for its result.
    Abandon(Duration),
    /// The engine stops: the future is dropped now and the attempt given back.
    HandBack,
    /// The future is dropped now; its result is of no use.
    Drop,
}

#[derive(Debug, Default)]
pub(crate) struct Beats {
    /// The newest details said, not yet handed on.
    pub(crate) details: Option<Payload>,
    /// Whether anything was said since the last time it was handed on.
    pub(crate) is_new: bool,
}

/// What the body and its supervisor share.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) info: AttemptInfo,
    pub(crate) stop: watch::Receiver<Stop>,
    /// Held for one reading or one change; nothing waits while it is.
    pub(crate) beats: Mutex<Beats>,
    pub(crate) beaten: Notify,
}

impl Line {
    pub(crate) fn new(info: AttemptInfo, stop: watch::Receiver<Stop>) -> Arc<Self> {
        Arc::new(Self { info, stop, beats: Mutex::default(), beaten: Notify::new() })
    }

    /// How long heartbeats may wait to be written.
    pub(crate) fn flush_interval(&self) -> Duration {
        self.info.heartbeat.map_or(FLUSH_MAX, |limit| (limit * 4 / 5).min(FLUSH_MAX))
    }

    pub(crate) fn take_beat(&self) -> Option<Option<Payload>> {
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut beats.is_new).then(|| beats.details.clone())
    }

    /// A beat could not be written: it counts as new again.
    pub(crate) fn beat_again(&self) {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner).is_new = true;
        self.beaten.notify_one();
    }
}

/// What an activity's body can ask and say. Cheap to clone.
#[derive(Clone)]
pub struct ActivityContext(pub(crate) Arc<Line>);

impl fmt::Debug for ActivityContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ActivityContext").field(&self.0.info).finish()
    }
}

impl ActivityContext {
    /// A context that belongs to no engine: never cancelled, heartbeats go nowhere. For tests of bodies.
    #[must_use]
    pub fn detached(info: AttemptInfo) -> Self {
        // Without a sender the receiver keeps its last value, which is what is wanted here.
        let (_, stop) = watch::channel(Stop::Run);
        Self(Line::new(info, stop))
    }

    /// What the attempt is.
    #[must_use]
    pub fn info(&self) -> &AttemptInfo {
        &self.0.info
    }

    /// Says that the body is alive, and what the next attempt should know if this one fails.
    ///
    /// Returns at once; what was said is written from time to time, and always with a failure.
    ///
    /// # Errors
    ///
    /// [`PayloadTooLarge`] if the details are larger than [`HEARTBEAT_DETAILS_MAX`]; nothing was said then.
    pub fn heartbeat(&self, details: Option<Payload>) -> Result<(), PayloadTooLarge> {
        if let Some(details) = &details {
            let what = || format!("heartbeat of `{}`", self.0.info.activity);
            details.check_size(HEARTBEAT_DETAILS_MAX, what)?;
        }
        let mut beats = self.0.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats.details = details.or(beats.details.take());
        beats.is_new = true;
        drop(beats);
        self.0.beaten.notify_one();
        Ok(())
    }

    /// Whether the body is asked to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.stop.borrow() != Stop::Run
    }

    /// Waits until the body is asked to end.
    pub async fn cancelled(&self) {
        let mut stop = self.0.stop.clone();
        if stop.wait_for(|stop| *stop != Stop::Run).await.is_err() {
            // Nobody can ask any more.
            std::future::pending::<()>().await;
        }
    }
}
