//! Ends that the engine imposes.

use futures::executor::block_on;
use steadfast_core::exec::{CallStart, UndoSpec};
use steadfast_core::history::{CancelCause, RunLimits};
use steadfast_core::{ActivityOptions, WorkflowError};
use steadfast_engine::EngineConfig;
use steadfast_store::RunStatus;

use crate::kit::*;

#[test]
fn a_run_timeout_ends_a_run_without_undos_at_once() {
    let kit = Kit::new();
    let code = workflow("pending", |ctx, input| async move { call(&ctx, "work", input).await });
    let work = body(|_, _| std::future::pending());
    kit.worker().workflow(code).activity(activity("work"), work).start().unwrap();
    let mut request = Kit::request("pending", "w", json(()));
    request.run_timeout = Some(secs(60));
    request.execution_timeout = Some(secs(90));
    block_on(kit.client.start(request)).unwrap();
    kit.clock.advance(secs(60));
    assert_eq!(kit.result("w").status, RunStatus::TimedOut);
    assert_eq!(kit.names("w"), ["WorkflowStarted", "ActivityScheduled", "WorkflowTimedOut"]);
    kit.eventually("all slots are free", |kit| kit.engine.slots_in_use() == 0);
}

fn saga() -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("saga", |ctx, input| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                let mut call = spec("reserve", input, ActivityOptions::default());
                call.undo = Some(UndoSpec {
                    activity: activity("release"),
                    options: ActivityOptions::default(),
                    by_operator: false,
                });
                let CallStart::Open(outcome) = ctx.start_activity(call, Some(&saga)) else {
                    return Err(WorkflowError::fail("refused"));
                };
                outcome.await;
                call_with(&ctx, "ship", json(()), ActivityOptions::default()).await
            }
        };
        saga.run(body).await
    })
}

#[test]
fn a_run_with_undos_unwinds_before_it_times_out() {
    let kit = Kit::new();
    let ship = body(|ctx, _| async move {
        ctx.cancelled().await;
        Err(steadfast_core::AttemptError::Cancelled)
    });
    kit.worker()
        .workflow(saga())
        .activity(activity("reserve"), echo())
        .activity(activity("release"), body(|_, _| async { Ok(json(())) }))
        .activity(activity("ship"), ship)
        .start()
        .unwrap();
    let mut request = Kit::request("saga", "w", json("room"));
    request.run_timeout = Some(secs(60));
    block_on(kit.client.start(request)).unwrap();
    kit.eventually("the room is reserved", |kit| kit.names("w").len() == 4);
    let described = kit.describe("w");
    assert!(described.has_undos);
    assert_eq!(described.undos.len(), 1);
    kit.clock.advance(secs(60));
    assert_eq!(kit.result("w").status, RunStatus::TimedOut);
    assert_eq!(
        kit.names("w")[4..],
        [
            "CancelRequested",
            "ActivityCancelRequested",
            "ActivityCancelled",
            "CompensationStarted",
            "ActivityScheduled",
            "ActivityCompleted",
            "CompensationFinished",
            "WorkflowTimedOut"
        ]
    );
    assert_eq!(kit.describe("w").imposed, Some(CancelCause::RunTimeout));
}

#[test]
fn terminating_a_saga_lists_the_undos_that_were_not_run() {
    let kit = Kit::new();
    kit.worker()
        .workflow(saga())
        .activity(activity("reserve"), echo())
        .activity(activity("release"), echo())
        .activity(activity("ship"), body(|_, _| std::future::pending()))
        .start()
        .unwrap();
    kit.start("saga", "w", json("room"));
    kit.eventually("the room is reserved", |kit| kit.names("w").len() == 4);
    let request =
        steadfast_engine::TerminateRequest { run: selector("w"), reason: "by hand".into(), request_id: None };
    block_on(kit.client.terminate(request)).unwrap();
    let steadfast_core::history::EventKind::WorkflowTerminated(end) = kit.result("w").closing else {
        panic!()
    };
    assert_eq!(end.undos_not_run.len(), 1);
    assert_eq!(kit.describe("w").attention.len(), 1);
}

#[test]
fn a_history_at_its_limit_ends_the_run() {
    let clock = std::sync::Arc::new(steadfast_engine::ManualClock::new(at(1_000)));
    let limits = RunLimits { history_events_max: 50, history_events_warn: 20, ..RunLimits::default() };
    let kit = Kit::open(new_store(), EngineConfig { limits, ..config(&clock) }, clock);
    let code = workflow("endless", |ctx, input| async move {
        loop {
            call(&ctx, "echo", input.clone()).await?;
        }
    });
    kit.worker().workflow(code).activity(activity("echo"), echo()).start().unwrap();
    kit.start("endless", "w", json(()));
    let outcome = kit.result("w");
    assert_eq!(outcome.result(), Err(WorkflowError::HistoryLimit(50)));
    assert!(outcome.last_event.0 <= 52, "{outcome:?}");
}
