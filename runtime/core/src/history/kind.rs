//! The stored form of events: explicit numbers for kinds, one frozen struct per kind and version.
//!
//! A record holds all events of an activation: `(id, at, kind, version, body)` each, where `body` is the encoded
//! struct. A kind or version that this build does not know is reported with its number and place, never skipped.

use serde::{Deserialize, Serialize};

use super::event::{Event, EventKind};
use crate::codec::{self, CodecError};
use crate::id::EventId;
use crate::time::Timestamp;

#[derive(Serialize, Deserialize)]
struct StoredEvent {
    id: EventId,
    at: Timestamp,
    kind: u16,
    version: u8,
    #[serde(with = "serde_bytes")]
    body: Vec<u8>,
}

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventCodecError {
    /// The kind or the version is not known to this build.
    #[error("event {id} has kind {kind} version {version}, which this build does not know")]
    Unknown {
        /// Its place.
        id: EventId,
        /// The number of its kind.
        kind: u16,
        /// The version of its body.
        version: u8,
    },
    /// The body does not fit its kind.
    #[error("event {id} (kind {kind}) cannot be read: {error}")]
    Body {
        /// Its place.
        id: EventId,
        /// The number of its kind.
        kind: u16,
        /// What the codec said.
        error: CodecError,
    },
    /// The record as a whole does not hold events.
    #[error("the record cannot be read: {0}")]
    Record(CodecError),
}

macro_rules! numbers {
    ($($number:literal $version:literal $name:ident,)*) => {
        fn encode_event(event: &Event) -> Result<StoredEvent, CodecError> {
            let (kind, version, body) = match &event.kind {
                $(EventKind::$name(body) => ($number, $version, codec::encode(body)?),)*
            };
            Ok(StoredEvent { id: event.id, at: event.at, kind, version, body })
        }

        fn decode_event(stored: &StoredEvent) -> Result<Event, EventCodecError> {
            let StoredEvent { id, at, kind, version, ref body } = *stored;
            let kind = match (kind, version) {
                $(($number, $version) => codec::decode(body)
                    .map(EventKind::$name)
                    .map_err(|error| EventCodecError::Body { id, kind, error })?,)*
                _ => return Err(EventCodecError::Unknown { id, kind, version }),
            };
            Ok(Event { id, at, kind })
        }
    };
}

// Numbers are never used again for something else. Inputs from 1, commands from 101, closing events from 201.
numbers! {
    1 1 WorkflowStarted,
    2 1 ActivityCompleted,
    3 1 ActivityFailed,
    4 1 ActivityTimedOut,
    5 1 ActivityCancelled,
    6 1 TimerFired,
    7 1 CancelRequested,
    8 1 StepCompleted,
    9 1 StepFailed,
    10 1 OperatorDecided,
    101 1 ActivityScheduled,
    102 1 ActivityCancelRequested,
    103 1 TimerStarted,
    104 1 TimerCancelled,
    105 1 StepStarted,
    106 1 SideEffectRecorded,
    107 1 CompensationStarted,
    108 1 CompensationFinished,
    201 1 WorkflowCompleted,
    202 1 WorkflowFailed,
    203 1 WorkflowCancelled,
    204 1 WorkflowTimedOut,
    205 1 WorkflowTerminated,
}

/// Writes events as the body of one history record.
///
/// # Errors
///
/// [`CodecError`] if an event is larger than a record may be.
pub fn encode_events(events: &[Event]) -> Result<Vec<u8>, CodecError> {
    let stored = events.iter().map(encode_event).collect::<Result<Vec<_>, _>>()?;
    codec::encode(&stored)
}

/// Reads the body of one history record.
///
/// # Errors
///
/// [`EventCodecError`] naming the event that cannot be read.
pub fn decode_events(bytes: &[u8]) -> Result<Vec<Event>, EventCodecError> {
    let stored: Vec<StoredEvent> = codec::decode(bytes).map_err(EventCodecError::Record)?;
    stored.iter().map(decode_event).collect()
}
