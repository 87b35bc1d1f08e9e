//! Histories as JSON for people and for tests: an array of events, each with `id`, `at`, `type`, `attributes`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::event::{Event, EventKind};
use crate::id::EventId;
use crate::time::Timestamp;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonEvent {
    id: EventId,
    at: Timestamp,
    r#type: String,
    attributes: Box<RawValue>,
}

/// A JSON text that is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryJsonError {
    /// The text as a whole is not an array of events.
    #[error("this is no history")]
    Text(#[source] serde_json::Error),
    /// One event cannot be read or written.
    #[error("event {id} cannot be read as {name}")]
    Event {
        /// Its place.
        id: EventId,
        /// Its type, as written.
        name: String,
        /// What does not fit.
        #[source]
        source: serde_json::Error,
    },
}

/// Writes a history as indented JSON.
///
/// # Errors
///
/// [`HistoryJsonError`] if a payload cannot stand in JSON text.
pub fn to_json(events: &[Event]) -> Result<String, HistoryJsonError> {
    let events = events
        .iter()
        .map(|event| {
            let name = event.kind.name();
            let attributes = event.kind.attributes().map_err(|source| HistoryJsonError::Event {
                id: event.id,
                name: name.to_owned(),
                source,
            })?;
            Ok(JsonEvent { id: event.id, at: event.at, r#type: name.to_owned(), attributes })
        })
        .collect::<Result<Vec<_>, HistoryJsonError>>()?;
    serde_json::to_string_pretty(&events).map_err(HistoryJsonError::Text)
}

/// Reads what [`to_json`] wrote; the events are equal to those written.
///
/// # Errors
///
/// [`HistoryJsonError`] naming the event, or the line and column, that does not fit.
pub fn from_json(text: &str) -> Result<Vec<Event>, HistoryJsonError> {
    let events: Vec<JsonEvent> = serde_json::from_str(text).map_err(HistoryJsonError::Text)?;
    events
        .into_iter()
        .map(|JsonEvent { id, at, r#type: name, attributes }| {
            let kind = EventKind::from_attributes(&name, &attributes)
                .map_err(|source| HistoryJsonError::Event { id, name, source })?;
            Ok(Event { id, at, kind })
        })
        .collect()
}
