//! Every state of every machine meets every kind of event: a transition or a typed error, nothing else.

use super::*;
use crate::history::sample;
use crate::history::{Event, EventKind};
use crate::id::EventId;
use crate::time::Timestamp;

fn walk<S: Copy + std::fmt::Debug>(
    states: &[S],
    apply: impl Fn(S, &EventKind) -> Result<S, IllegalEvent>,
) -> Vec<String> {
    let mut legal = Vec::new();
    for state in states {
        for kind in sample::every_kind() {
            match apply(*state, &kind) {
                Ok(next) => legal.push(format!("{state:?} + {} -> {next:?}", kind.name())),
                Err(error) => {
                    assert_eq!(error.state, format!("{state:?}"));
                    assert_eq!(error.event, kind.name());
                }
            }
        }
    }
    legal
}

#[test]
fn activities() {
    use ActivityState as S;
    let states = [S::Scheduled, S::CancelRequested, S::Completed, S::Failed, S::TimedOut, S::Cancelled];
    assert_eq!(
        walk(&states, S::apply),
        [
            "Scheduled + ActivityCompleted -> Completed",
            "Scheduled + ActivityFailed -> Failed",
            "Scheduled + ActivityTimedOut -> TimedOut",
            "Scheduled + ActivityCancelRequested -> CancelRequested",
            "CancelRequested + ActivityCompleted -> Completed",
            "CancelRequested + ActivityCancelled -> Cancelled",
        ]
    );
}

#[test]
fn timers_steps_and_compensations() {
    use {CompensationState as C, StepState as S, TimerState as T};
    assert_eq!(
        walk(&[T::Started, T::Fired, T::Cancelled], T::apply),
        ["Started + TimerFired -> Fired", "Started + TimerCancelled -> Cancelled"]
    );
    assert_eq!(
        walk(&[S::Started, S::Completed, S::Failed], S::apply),
        ["Started + StepCompleted -> Completed", "Started + StepFailed -> Failed"]
    );
    assert_eq!(walk(&[C::Started, C::Finished], C::apply), ["Started + CompensationFinished -> Finished"]);
}

/// A run in each state, with one of everything open.
fn runs() -> [(&'static str, RunMachine); 3] {
    let mut open = RunMachine::new();
    for (index, kind) in sample::opening().into_iter().enumerate() {
        open.apply(&Event { id: EventId(index as u64 + 1), at: Timestamp::ZERO, kind }).unwrap();
    }
    let mut closed = open.clone();
    let end = sample::every_kind().into_iter().find(|kind| kind.name() == "WorkflowCompleted").unwrap();
    closed.apply(&Event { id: closed.last().next(), at: Timestamp::ZERO, kind: end }).unwrap();
    [("empty", RunMachine::new()), ("open", open), ("closed", closed)]
}

#[test]
fn runs_take_only_what_fits() {
    for (name, machine) in runs() {
        for kind in sample::every_kind() {
            let event = Event { id: machine.last().next(), at: Timestamp::ZERO, kind };
            let result = machine.clone().apply(&event);
            let legal = match (name, event.kind.name()) {
                ("empty", kind) => kind == "WorkflowStarted",
                // One of each is open: everything but a start and an end that was not asked for fits.
                ("open", kind) => kind != "WorkflowStarted" && kind != "ActivityCancelled",
                _ => false,
            };
            assert_eq!(result.is_ok(), legal, "{name} + {}: {result:?}", event.kind.name());
        }
    }
}

#[test]
fn gaps_and_times_that_go_back_are_refused() {
    let [_, (_, machine), _] = runs();
    let kind = sample::every_kind().remove(1);
    let next = machine.last().next();
    let gap = Event { id: next.next(), at: Timestamp::ZERO, kind: kind.clone() };
    assert_eq!(machine.clone().apply(&gap).unwrap_err().problem, format!("event {next} is missing"));
    let mut later = machine.clone();
    later.apply(&Event { id: next, at: Timestamp::from_micros(5), kind }).unwrap();
    let cancel = sample::every_kind().into_iter().find(|kind| kind.name() == "CancelRequested").unwrap();
    let back = Event { id: next.next(), at: Timestamp::from_micros(4), kind: cancel };
    assert!(later.apply(&back).unwrap_err().problem.contains("is before"), "time never goes back");
}
