//! A number that stands for some events: two lists with one number are the same list.

use std::hash::{DefaultHasher, Hasher as _};

use steadfast_core::history::{Event, to_json};

/// The number of these events, as they are exported. It is the same in every process of one build.
pub(crate) fn digest(events: &[Event]) -> u64 {
    let mut hasher = DefaultHasher::new();
    // What cannot be exported is found where histories are written to the file of runs.
    hasher.write(to_json(events).unwrap_or_default().as_bytes());
    hasher.finish()
}
