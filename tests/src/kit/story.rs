//! Histories as lines, so that a test compares them whole.

use std::collections::BTreeMap;

use steadfast::history::{Event, EventKind};
use steadfast::{EventId, RunId};

/// The names of what the events of some runs opened.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<(RunId, EventId), String>);

impl Names {
    /// The line of an event of a run; events have to come in order.
    pub(super) fn line(&mut self, run: RunId, event: &Event) -> String {
        let kind = event.kind.name();
        if let Some(name) = opens(&event.kind) {
            let line = format!("{kind}({name})");
            self.0.insert((run, event.id), name);
            return line;
        }
        let Some(item) = item(&event.kind) else { return kind.to_owned() };
        let name = self.0.get(&(run, item)).map_or("?", String::as_str);
        format!("{kind}({name})")
    }
}

/// The name of the activity or step that an event opens.
fn opens(kind: &EventKind) -> Option<String> {
    if let EventKind::ActivityScheduled(e) = kind {
        return Some(e.activity.to_string());
    }
    if let EventKind::StepStarted(e) = kind { Some(e.name.clone()) } else { None }
}

/// The activity or step that an event is about.
fn item(kind: &EventKind) -> Option<EventId> {
    match kind {
        EventKind::ActivityCompleted(e) => Some(e.scheduled),
        EventKind::ActivityFailed(e) => Some(e.scheduled),
        EventKind::ActivityTimedOut(e) => Some(e.scheduled),
        EventKind::ActivityCancelled(e) => Some(e.scheduled),
        EventKind::ActivityCancelRequested(e) => Some(e.scheduled),
        EventKind::StepCompleted(e) => Some(e.started),
        EventKind::StepFailed(e) => Some(e.started),
        EventKind::OperatorDecided(e) => Some(e.target),
        EventKind::WorkflowStarted(_)
        | EventKind::TimerFired(_)
        | EventKind::CancelRequested(_)
        | EventKind::ActivityScheduled(_)
        | EventKind::TimerStarted(_)
        | EventKind::TimerCancelled(_)
        | EventKind::StepStarted(_)
        | EventKind::SideEffectRecorded(_)
        | EventKind::CompensationStarted(_)
        | EventKind::CompensationFinished(_)
        | EventKind::WorkflowCompleted(_)
        | EventKind::WorkflowFailed(_)
        | EventKind::WorkflowCancelled(_)
        | EventKind::WorkflowTimedOut(_)
        | EventKind::WorkflowTerminated(_) => None,
    }
}

/// A history, one line an event: `ActivityCompleted(charge)`.
#[must_use]
pub fn story(events: &[Event]) -> Vec<String> {
    let mut names = Names::default();
    events.iter().map(|event| names.line(RunId::from_bytes([0; 16]), event)).collect()
}

/// The same without the lines that mark where sagas unwind.
#[must_use]
pub fn story_without_markers(events: &[Event]) -> Vec<String> {
    story(events).into_iter().filter(|line| !is_marker(line)).collect()
}

/// Whether a line only marks where a saga unwinds.
#[must_use]
pub fn is_marker(line: &str) -> bool {
    line == "CompensationStarted" || line == "CompensationFinished"
}

/// Whether the lines stand in a story in this order; others may stand between them.
///
/// # Panics
///
/// If they do not.
#[track_caller]
pub fn assert_in_order(story: &[String], lines: &[&str]) {
    let mut left = lines.iter();
    let mut wanted = left.next();
    for line in story {
        if wanted.is_some_and(|wanted| wanted == line) {
            wanted = left.next();
        }
    }
    assert!(wanted.is_none(), "{} is missing, or out of order, in {story:#?}", wanted.unwrap_or(&""));
}
