//! What the engine keeps of a run besides its history: the body of the head, and the bodies of other rows.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast_core::codec::{self, CodecError};
use steadfast_core::history::{AttemptSummary, CancelCause, Compensation, Event, EventKind, RunLimits};
use steadfast_core::machine::Task;
use steadfast_core::{
    AttemptError, EventId, Hold, IdempotencyKey, Payload, QueueName, RequestId, Timestamp, decode_events,
    encode_events,
};

use crate::client::Started;

/// How many open items the head holds; more become rows.
pub(crate) const INLINE_ITEMS_MAX: usize = 16;

/// An end that the engine will impose when the time comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunDeadline {
    pub(crate) at: Timestamp,
    pub(crate) cause: CancelCause,
}

/// Why a run cannot be activated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockedState {
    pub(crate) reason: String,
    /// Nobody has the function: trying again makes sense only after a worker started.
    pub(crate) is_missing: bool,
    pub(crate) since: Timestamp,
}

/// The fields of a head that are not open items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fields {
    pub(crate) queue: QueueName,
    /// Pinned by the first event; before it, what was asked for.
    pub(crate) version: Option<u32>,
    pub(crate) limits: RunLimits,
    /// The list is sorted by this.
    pub(crate) started_at: Timestamp,
    /// The time of the newest event.
    pub(crate) last_at: Timestamp,
    pub(crate) closed_at: Option<Timestamp>,
    /// A delayed start.
    pub(crate) starts_at: Option<Timestamp>,
    pub(crate) deadline: Option<RunDeadline>,
    pub(crate) has_undos: bool,
    pub(crate) unwinding: bool,
    pub(crate) user_cancelled: bool,
    pub(crate) imposed: Option<CancelCause>,
    pub(crate) compensation: Compensation,
    /// What waits for an operator's decision.
    pub(crate) holds: Vec<Hold>,
    /// Why somebody should look, beyond what the items and the state say.
    pub(crate) attention: Vec<String>,
    pub(crate) blocked: Option<BlockedState>,
    /// The first mailbox row that was not admitted.
    pub(crate) mail_first: u64,
    /// Items that the code cancelled while the input that closes them lay in the mailbox.
    pub(crate) settled: Vec<EventId>,
}

/// A timer that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimerItem {
    pub(crate) started: EventId,
    pub(crate) due: Timestamp,
    pub(crate) follows_wall_clock: bool,
}

/// A task with what its machine does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TaskItem {
    pub(crate) task: Task,
    pub(crate) undoes: Option<EventId>,
}

/// Something open: in the head, or as a row of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ItemBody {
    Task(Box<TaskItem>),
    Timer(TimerItem),
}

impl ItemBody {
    pub(crate) fn id(&self) -> EventId {
        match self {
            Self::Task(item) => item.task.item,
            Self::Timer(timer) => timer.started,
        }
    }
}

#[derive(Serialize)]
struct HeadOut<'a> {
    fields: &'a Fields,
    items: Vec<&'a ItemBody>,
}

/// The body of a head, decoded.
#[derive(Deserialize)]
pub(crate) struct HeadBody {
    pub(crate) fields: Fields,
    pub(crate) items: Vec<ItemBody>,
}

impl HeadBody {
    pub(crate) fn encode(fields: &Fields, items: Vec<&ItemBody>) -> Result<Vec<u8>, CodecError> {
        codec::encode(&HeadOut { fields, items })
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        codec::decode(bytes)
    }
}

/// A start that has not become an event yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StartRecord {
    pub(crate) version: Option<u32>,
    pub(crate) input: Payload,
    pub(crate) request_id: RequestId,
    pub(crate) run_timeout: Option<Duration>,
    pub(crate) execution_timeout: Option<Duration>,
    pub(crate) requested_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
enum MailOut {
    Start(Box<StartRecord>),
    /// `encode_events` of one event without a place.
    Input(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// An input that waits in the mailbox.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MailBody {
    Start(Box<StartRecord>),
    Input(Box<EventKind>),
}

impl MailBody {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let out = match self {
            Self::Start(record) => MailOut::Start(record.clone()),
            Self::Input(kind) => {
                let event = Event { id: EventId(0), at: Timestamp::ZERO, kind: EventKind::clone(kind) };
                MailOut::Input(encode_events(&[event])?)
            }
        };
        codec::encode(&out)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        match codec::decode(bytes).map_err(|error| error.to_string())? {
            MailOut::Start(record) => Ok(Self::Start(record)),
            MailOut::Input(bytes) => {
                let events = decode_events(&bytes).map_err(|error| error.to_string())?;
                let event = events.into_iter().next().ok_or("the mailbox row is empty")?;
                Ok(Self::Input(Box::new(event.kind)))
            }
        }
    }
}

/// The first outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RequestOutcome {
    Started(Started),
    Cancelled,
    Terminated,
    /// The target of the decision.
    Decided(EventId),
}

/// What a dead letter holds besides its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeadLetterBody {
    pub(crate) queue: QueueName,
    pub(crate) undoes: Option<EventId>,
    pub(crate) input: Payload,
    pub(crate) idempotency_key: IdempotencyKey,
    pub(crate) error: AttemptError,
    pub(crate) attempts: AttemptSummary,
}
