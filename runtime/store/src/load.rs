//! Loading a whole history and proving that it is whole. The same for every store.

use steadfast_core::history::Event;
use steadfast_core::{EventCodecError, EventId, ShardId, decode_events};

use crate::contract::{RunHead, Runs, StoreError};

/// How many records are read at a time.
const PAGE: usize = 256;

/// The rolling hash of a history after one more record body: CRC-32C continued over the bytes of all bodies.
#[must_use]
pub fn roll(hash: u32, body: &[u8]) -> u32 {
    crc32c::crc32c_append(hash, body)
}

/// A history that is not whole. Replay does not start.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// An event that must be there is not.
    #[error("history incomplete, event {0} missing")]
    Missing(EventId),
    /// There are events that must not be there.
    #[error("history damaged: event {0} stands behind the recorded end")]
    Surplus(EventId),
    /// The events are not the ones that were written.
    #[error("history damaged: the hash over its {events} events does not match the head")]
    Hash {
        /// How many events were read.
        events: u64,
    },
    /// An event cannot be read.
    #[error("the history record from event {first} cannot be read")]
    Codec {
        /// The first event of its record.
        first: EventId,
        /// What does not fit.
        #[source]
        source: EventCodecError,
    },
    /// The store cannot answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// All events of a run, ids ascending by 1, checked against its head.
///
/// # Errors
///
/// [`LoadError`] if a single event is missing, unreadable or not the one that was written.
pub fn load_history<S: Runs + ?Sized>(
    store: &S,
    shard: ShardId,
    head: &RunHead,
) -> Result<Vec<Event>, LoadError> {
    let mut events: Vec<Event> = Vec::new();
    let mut hash = 0;
    let mut next = EventId(1);
    loop {
        let records = store.history(shard, head.run_id, next, PAGE)?;
        let Some(newest) = records.last() else { break };
        let newest = newest.last();
        for record in &records {
            if record.first != next {
                return Err(LoadError::Missing(next));
            }
            let decoded = decode_events(&record.body)
                .map_err(|source| LoadError::Codec { first: record.first, source })?;
            for event in decoded {
                if event.id != next {
                    return Err(LoadError::Missing(next));
                }
                next = next.next();
                events.push(event);
            }
            if next.0 != record.last().0 + 1 {
                return Err(LoadError::Missing(next));
            }
            hash = roll(hash, &record.body);
        }
        if newest >= head.last_event {
            break;
        }
    }
    if next <= head.last_event {
        return Err(LoadError::Missing(next));
    }
    if next.0 > head.last_event.0 + 1 {
        return Err(LoadError::Surplus(head.last_event.next()));
    }
    if hash != head.history_hash {
        return Err(LoadError::Hash { events: head.last_event.0 });
    }
    Ok(events)
}
