//! Calls outside against the history: every call belongs to a recorded activity, and its attempt was granted.

use std::collections::BTreeMap;

use steadfast_core::EventId;
use steadfast_core::history::{Event, EventKind};

use super::judge::{Findings, Matter};
use crate::crash::case::Shape;
use crate::crash::finding::Kind;

/// What the history says of one key.
#[derive(Debug, Default)]
struct Recorded {
    is_completed: bool,
    /// The number of the last attempt, once it is closed.
    attempt: Option<u32>,
}

/// `shown` holds the keys of activities that a caller saw complete, with the round.
pub(super) fn check(matter: &Matter<'_>, shown: &BTreeMap<String, u32>, findings: &mut Findings) {
    let id = matter.caller.case.id();
    let recorded = recorded(&matter.run.history);
    for (key, attempt) in &matter.effects.attempts {
        match recorded.get(key) {
            // A step of the workflow's own has no key that the history knows.
            None if *attempt == 0 && matter.caller.case.shape == Shape::Note => {}
            None => findings
                .add(Kind::Lost, format!("{id}: {key} was called outside, the history has no such activity")),
            Some(Recorded { attempt: Some(last), .. }) if attempt > last => {
                findings.add(
                    Kind::Lost,
                    format!(
                        "{id}: attempt {attempt} of {key} was called outside, the history ends with {last}"
                    ),
                );
            }
            Some(_) => {}
        }
    }
    let prefix = format!("{id}/");
    for (key, round) in shown.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix)) {
        if !recorded.get(key).is_some_and(|recorded| recorded.is_completed) {
            let text =
                format!("{id}: {key}, shown complete in round {round}, is not complete in the history");
            findings.add(Kind::Lost, text);
        }
    }
}

fn recorded(history: &[Event]) -> BTreeMap<String, Recorded> {
    let mut keys = BTreeMap::<EventId, String>::new();
    let mut recorded = BTreeMap::<String, Recorded>::new();
    for event in history {
        let (scheduled, attempts, is_completed) = if let EventKind::ActivityScheduled(e) = &event.kind {
            keys.insert(event.id, e.idempotency_key.as_str().to_owned());
            recorded.insert(e.idempotency_key.as_str().to_owned(), Recorded::default());
            continue;
        } else if let EventKind::ActivityCompleted(e) = &event.kind {
            (e.scheduled, &e.attempts, true)
        } else if let EventKind::ActivityFailed(e) = &event.kind {
            (e.scheduled, &e.attempts, false)
        } else if let EventKind::ActivityTimedOut(e) = &event.kind {
            (e.scheduled, &e.attempts, false)
        } else if let EventKind::ActivityCancelled(e) = &event.kind {
            (e.scheduled, &e.attempts, false)
        } else {
            continue;
        };
        if let Some(key) = keys.get(&scheduled) {
            recorded.insert(key.clone(), Recorded { is_completed, attempt: Some(attempts.attempt) });
        }
    }
    recorded
}
