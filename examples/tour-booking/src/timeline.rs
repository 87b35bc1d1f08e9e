//! A history as lines for people: what happened, in which attempt, and why the attempts before it failed.
//!
//! Pure: it looks at the events and nothing else.

use std::collections::BTreeMap;

use steadfast::history::{AttemptSummary, CallSite, Compensation, Event, EventKind, FailedUndo};
use steadfast::{EventId, Payload};

use crate::report::{FailedAttempt, Row, Tone};

/// The most characters of a value that are shown.
const VALUE_CHARS_MAX: usize = 70;

/// One row for each event.
#[must_use]
pub fn rows(history: &[Event]) -> Vec<Row> {
    let names = Names::of(history);
    history
        .iter()
        .map(|event| {
            let (tone, text) = line(&event.kind, &names);
            let failed = attempts(&event.kind).map(failed).unwrap_or_default();
            let (id, at, event) = (event.id.0, event.at.as_micros(), event.kind.name().to_owned());
            Row { id, at, event, text, tone, failed }
        })
        .collect()
}

fn line(kind: &EventKind, names: &Names<'_>) -> (Tone, String) {
    match kind {
        EventKind::WorkflowStarted(event) => (Tone::Plain, event.workflow_type.to_string()),
        EventKind::ActivityScheduled(event) => match event.undoes {
            Some(step) => (Tone::Undo, format!("{} undoes event {step}", event.activity)),
            None => (Tone::Plain, format!("{} at {}", event.activity, place(&event.call_site))),
        },
        EventKind::ActivityCompleted(event) => {
            let (name, attempt) = (names.get(event.scheduled), event.attempts.attempt);
            (names.tone(event.scheduled), format!("{name} = {}, attempt {attempt}", value(&event.output)))
        }
        EventKind::ActivityFailed(event) => {
            let (name, attempt) = (names.get(event.scheduled), event.attempts.attempt);
            (Tone::Bad, format!("{name}: {}, attempt {attempt}", event.error))
        }
        EventKind::ActivityTimedOut(event) => {
            let (name, attempt) = (names.get(event.scheduled), event.attempts.attempt);
            (Tone::Bad, format!("{name}: {} timeout, attempt {attempt}", event.timeout))
        }
        EventKind::ActivityCancelled(event) => (Tone::Bad, names.get(event.scheduled).to_owned()),
        EventKind::ActivityCancelRequested(event) => (Tone::Bad, names.get(event.scheduled).to_owned()),
        EventKind::CompensationStarted(event) => (Tone::Undo, event.cause.clone()),
        EventKind::CompensationFinished(event) => {
            let tone = if event.failed.is_empty() { Tone::Undo } else { Tone::Bad };
            (tone, format!("{} undone{}", event.undone, not_undone(&event.failed)))
        }
        EventKind::OperatorDecided(event) => {
            (Tone::Undo, format!("{} by {} for event {}", event.decision.name(), event.who, event.target))
        }
        EventKind::StepStarted(event) => (Tone::Plain, event.name.clone()),
        EventKind::StepCompleted(event) => (Tone::Plain, names.get(event.started).to_owned()),
        EventKind::StepFailed(event) => (Tone::Bad, format!("{}: {}", names.get(event.started), event.error)),
        EventKind::WorkflowCompleted(event) => (Tone::Good, value(&event.output)),
        EventKind::WorkflowFailed(event) => {
            (Tone::Bad, format!("{}; {}", event.error, compensation(&event.compensation)))
        }
        EventKind::WorkflowCancelled(event) => (Tone::Bad, compensation(&event.compensation)),
        EventKind::WorkflowTimedOut(event) => (Tone::Bad, compensation(&event.compensation)),
        EventKind::WorkflowTerminated(event) => (Tone::Bad, event.reason.clone()),
        EventKind::TimerFired(_)
        | EventKind::CancelRequested(_)
        | EventKind::TimerStarted(_)
        | EventKind::TimerCancelled(_)
        | EventKind::SideEffectRecorded(_) => (Tone::Plain, String::new()),
    }
}

/// What became of the steps of a run that failed, in words.
#[must_use]
pub fn compensation(compensation: &Compensation) -> String {
    match compensation {
        Compensation::None => "nothing to undo".to_owned(),
        Compensation::Compensated => "compensated".to_owned(),
        Compensation::Failed(failed) => format!("compensation failed{}", not_undone(failed)),
    }
}

fn not_undone(failed: &[FailedUndo]) -> String {
    failed.iter().map(|undo| format!("; {} failed: {}", undo.undo, undo.error)).collect()
}

/// The attempts of an activity or a step that closes with this event.
fn attempts(kind: &EventKind) -> Option<&AttemptSummary> {
    if let EventKind::ActivityCompleted(event) = kind {
        Some(&event.attempts)
    } else if let EventKind::ActivityFailed(event) = kind {
        Some(&event.attempts)
    } else if let EventKind::ActivityTimedOut(event) = kind {
        Some(&event.attempts)
    } else if let EventKind::ActivityCancelled(event) = kind {
        Some(&event.attempts)
    } else {
        None
    }
}

/// Attempts that another one followed; the last one's failure is told by the event itself.
fn failed(attempts: &AttemptSummary) -> Vec<FailedAttempt> {
    let earlier = attempts.failures.iter().filter(|failure| failure.attempt < attempts.attempt);
    earlier
        .map(|failure| FailedAttempt {
            attempt: failure.attempt,
            at: failure.at.as_micros(),
            error: clipped(&failure.error.to_string()),
        })
        .collect()
}

fn value(payload: &Payload) -> String {
    match std::str::from_utf8(payload.bytes()) {
        Ok(text) => clipped(text),
        Err(_) => format!("{} bytes", payload.size()),
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn place(site: &CallSite) -> String {
    let file = site.file.rsplit('/').next().unwrap_or(&site.file);
    format!("{file}:{}", site.line)
}

/// The names of activities and steps by the events that scheduled them.
struct Names<'a>(BTreeMap<EventId, (&'a str, Tone)>);

impl<'a> Names<'a> {
    fn of(history: &'a [Event]) -> Self {
        let named = history.iter().filter_map(|event| {
            if let EventKind::ActivityScheduled(scheduled) = &event.kind {
                let tone = if scheduled.undoes.is_some() { Tone::Undo } else { Tone::Good };
                Some((event.id, (scheduled.activity.as_str(), tone)))
            } else if let EventKind::StepStarted(started) = &event.kind {
                Some((event.id, (started.name.as_str(), Tone::Good)))
            } else {
                None
            }
        });
        Self(named.collect())
    }

    fn get(&self, scheduled: EventId) -> &'a str {
        self.0.get(&scheduled).map_or("?", |(name, _)| name)
    }

    fn tone(&self, scheduled: EventId) -> Tone {
        self.0.get(&scheduled).map_or(Tone::Plain, |(_, tone)| *tone)
    }
}
