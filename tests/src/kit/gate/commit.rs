//! What a gate knows of a commit.

use std::sync::Arc;

use steadfast::RunId;
use steadfast::history::Event;
use steadfast::store::{Group, Write};
use steadfast_core::decode_events;

use super::super::story::Names;

/// A group on its way to the store, or in it.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Its number among those of this engine, from 1.
    pub nth: usize,
    /// The events that it appends, with their runs.
    pub events: Vec<(RunId, Event)>,
    /// The lines of these events.
    pub lines: Vec<String>,
    /// All of it.
    pub group: Arc<Group>,
}

impl Commit {
    pub(super) fn new(nth: usize, group: &Group, names: &mut Names) -> Self {
        let mut events = Vec::new();
        for write in group.transitions.iter().flat_map(|transition| &transition.writes) {
            if let Write::AppendHistory { run, record } = write {
                // What cannot be read is the business of those who read it from the store.
                events.extend(decode_events(&record.body).unwrap_or_default().into_iter().map(|e| (*run, e)));
            }
        }
        let lines = events.iter().map(|(run, event)| names.line(*run, event)).collect();
        Self { nth, events, lines, group: Arc::new(group.clone()) }
    }

    /// Whether an event with this line is among its events.
    #[must_use]
    pub fn has(&self, line: &str) -> bool {
        self.lines.iter().any(|has| has == line)
    }
}
