//! Starting, running and ending.

use steadfast_core::ActivityOptions;
use steadfast_store::{Commits, RunStatus};

use crate::kit::*;

fn two_steps() -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("two", |ctx, input| async move {
        let first = call(&ctx, "echo", input).await?;
        call(&ctx, "echo", first).await
    })
}

#[test]
fn a_workflow_runs_from_start_to_result() {
    let kit = Kit::new();
    kit.worker().workflow(two_steps()).activity(activity("echo"), echo()).start().unwrap();
    let started = kit.start("two", "w-1", json(7));
    let outcome = kit.result("w-1");
    assert_eq!((outcome.run_id, outcome.status), (started.run_id, RunStatus::Completed));
    assert_eq!(outcome.result().unwrap(), json(7));
    assert_eq!(
        kit.names("w-1"),
        [
            "WorkflowStarted",
            "ActivityScheduled",
            "ActivityCompleted",
            "ActivityScheduled",
            "ActivityCompleted",
            "WorkflowCompleted"
        ]
    );
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
}

#[test]
fn few_keys_are_written() {
    let kit = Kit::new();
    let gates: Vec<Gate> = (0..3).map(|_| Gate::default()).collect();
    let doors = gates.clone();
    let waiting = body(move |_, input| {
        let gate = doors[input.decode::<usize>().unwrap()].clone();
        async move {
            gate.pass().await;
            Ok(input)
        }
    });
    let code = workflow("three", |ctx, _| async move {
        for index in 0..3 {
            call_with(&ctx, "wait", json(index), ActivityOptions::default()).await?;
        }
        Ok(json(()))
    });
    kit.worker().workflow(code).activity(activity("wait"), waiting).start().unwrap();

    let mut before = kit.store.stats();
    let mut keys = |events: usize| {
        kit.eventually("the events are there", |kit| kit.names("w").len() == events);
        let now = kit.store.stats();
        let since = now.since(&before);
        before = now;
        (since.keys(), since.syncs)
    };
    kit.start("three", "w", json(()));
    let start = keys(2);
    gates[0].open();
    let first = keys(4);
    gates[1].open();
    let second = keys(6);
    gates[2].open();
    let close = keys(8);
    assert!(start.0 <= 6, "start: {start:?}");
    assert_eq!((first, second), ((2, 1), (2, 1)), "sequential activities");
    assert!(close.0 <= 5, "close: {close:?}");
}
