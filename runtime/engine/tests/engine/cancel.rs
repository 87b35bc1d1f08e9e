//! Cancelling and terminating.

use futures::executor::block_on;
use steadfast_core::{ActivityOptions, AttemptError, RequestId};
use steadfast_engine::{CancelRequest, EndError, TerminateRequest};
use steadfast_store::RunStatus;

use crate::kit::*;

fn cancel(kit: &Kit, workflow: &str) -> Result<(), EndError> {
    let request = CancelRequest { run: selector(workflow), reason: "enough".into(), request_id: None };
    block_on(kit.client.cancel(request))
}

fn one(grace: Option<u64>) -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("one", move |ctx, input| async move {
        let options = ActivityOptions { cancel_grace: grace.map(secs), ..ActivityOptions::default() };
        call_with(&ctx, "work", input, options).await
    })
}

#[test]
fn a_running_body_is_told_and_the_run_ends_cancelled() {
    let kit = Kit::new();
    let work = body(|ctx, _| async move {
        ctx.cancelled().await;
        Err(AttemptError::Cancelled)
    });
    kit.worker().workflow(one(None)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    cancel(&kit, "w").unwrap();
    assert_eq!(kit.result("w").status, RunStatus::Cancelled);
    assert_eq!(
        kit.names("w"),
        [
            "WorkflowStarted",
            "ActivityScheduled",
            "CancelRequested",
            "ActivityCancelRequested",
            "ActivityCancelled",
            "WorkflowCancelled"
        ]
    );
    assert!(matches!(cancel(&kit, "w"), Err(EndError::Closed { .. })));
    assert!(matches!(cancel(&kit, "nobody"), Err(EndError::NotFound(_))));
}

#[test]
fn a_body_that_does_not_listen_is_dropped_after_its_grace() {
    let kit = Kit::new();
    let work = body(|_, _| std::future::pending());
    kit.worker().workflow(one(Some(3))).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    cancel(&kit, "w").unwrap();
    cancel(&kit, "w").unwrap();
    kit.clock.advance(secs(2));
    assert_eq!(kit.describe("w").status, RunStatus::Running);
    kit.clock.advance(secs(1));
    assert_eq!(kit.result("w").status, RunStatus::Cancelled);
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
}

#[test]
fn a_success_after_the_request_still_counts() {
    let kit = Kit::new();
    let work = body(|ctx, _| async move {
        ctx.cancelled().await;
        Ok(json("done all the same"))
    });
    kit.worker().workflow(one(None)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    cancel(&kit, "w").unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json("done all the same"));
}

#[test]
fn a_waiting_activity_ends_at_once_and_never_starts() {
    let kit = Kit::new();
    let calls = Calls::default();
    let notes = calls.clone();
    let gate = Gate::default();
    let door = gate.clone();
    let work = body(move |_, input| {
        notes.note("work");
        let door = door.clone();
        async move {
            door.pass().await;
            Ok(input)
        }
    });
    kit.worker().slots(1).workflow(one(None)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "first", json(()));
    kit.start("one", "second", json(()));
    cancel(&kit, "second").unwrap();
    assert_eq!(kit.result("second").status, RunStatus::Cancelled);
    gate.open();
    kit.result("first");
    kit.start("one", "third", json(()));
    kit.result("third");
    assert_eq!(calls.of("work"), 2);
}

#[test]
fn terminate_ends_at_once_and_a_repeated_request_is_answered_again() {
    let kit = Kit::new();
    let work = body(|_, _| std::future::pending());
    kit.worker().workflow(one(None)).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    let request = TerminateRequest {
        run: selector("w"),
        reason: "by hand".into(),
        request_id: Some(RequestId::new("t").unwrap()),
    };
    block_on(kit.client.terminate(request.clone())).unwrap();
    block_on(kit.client.terminate(request)).unwrap();
    let outcome = kit.result("w");
    assert_eq!(outcome.status, RunStatus::Terminated);
    assert!(outcome.result().unwrap_err().to_string().contains("by hand"));
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
}
