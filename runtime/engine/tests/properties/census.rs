//! That the programs and what happens to them are as varied as the properties need.

use std::collections::BTreeMap;

use steadfast_core::history::EventKind;

use crate::cases::program;
use crate::drive::run;

/// Every kind of event, and the rarer ways in which things end, come up in a few hundred programs.
#[test]
fn the_programs_are_as_varied_as_they_claim() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut note = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
    for seed in 0..400 {
        let record = run(&program(seed), seed).unwrap();
        for event in &record.history {
            note("events");
            note(event.kind.name());
            if let EventKind::ActivityScheduled(e) = &event.kind
                && e.undoes.is_some()
            {
                note("undos");
            }
            if let EventKind::CompensationFinished(e) = &event.kind {
                note(if e.failed.is_empty() { "undone" } else { "not undone" });
            }
        }
        note(if record.history.len() > 50 { "over 50 events" } else { "up to 50 events" });
    }
    println!("{counts:#?}");
    let rare = [
        "ActivityCancelRequested",
        "ActivityCancelled",
        "ActivityCompleted",
        "ActivityFailed",
        "ActivityScheduled",
        "ActivityTimedOut",
        "CancelRequested",
        "CompensationFinished",
        "CompensationStarted",
        "SideEffectRecorded",
        "StepCompleted",
        "StepFailed",
        "StepStarted",
        "TimerCancelled",
        "TimerFired",
        "TimerStarted",
        "WorkflowCancelled",
        "WorkflowCompleted",
        "WorkflowFailed",
        "WorkflowTerminated",
        "WorkflowTimedOut",
        "undos",
        "undone",
        "not undone",
        "over 50 events",
    ];
    for what in rare {
        assert!(counts.get(what).is_some_and(|count| *count >= 3), "hardly any {what}: {counts:#?}");
    }
    assert!(counts["events"] > 6_000, "{counts:#?}");
}
