//! What nobody has registered waits visibly, and goes on when somebody has.

use futures::executor::block_on;
use steadfast_core::{ActivityOptions, WorkflowError};
use steadfast_store::{ListFilter, RunStatus};

use crate::kit::*;

fn caller(schedule_to_close: Option<u64>) -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("caller", move |ctx, input| async move {
        let options = ActivityOptions {
            schedule_to_close: schedule_to_close.map(secs),
            start_to_close: Some(secs(600)),
            ..ActivityOptions::default()
        };
        call_with(&ctx, "reserv", input, options).await
    })
}

const REASON: &str = "not registered: reserv; known: reserve";

#[test]
fn an_unregistered_activity_needs_attention_at_once_and_runs_when_it_is_there() {
    let kit = Kit::new();
    let worker = kit.worker().workflow(caller(None)).activity(activity("reserve"), echo()).start().unwrap();
    kit.start("caller", "w", json(1));
    let described = kit.describe("w");
    assert_eq!(described.attention, [REASON]);
    assert_eq!(
        (described.activities[0].attempt, described.activities[0].waits_for.as_deref()),
        (0, Some(REASON))
    );
    let filter = ListFilter { needs_attention: true, ..ListFilter::default() };
    assert_eq!(block_on(kit.client.list(filter.clone(), None, 10)).unwrap().rows.len(), 1);
    worker.stop();
    let attempt = body(|ctx, _| async move { Ok(json(ctx.info().attempt)) });
    kit.worker().workflow(caller(None)).activity(activity("reserv"), attempt).start().unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    assert!(block_on(kit.client.list(filter, None, 10)).unwrap().rows.is_empty());
}

#[test]
fn schedule_to_close_ends_it_with_the_reason() {
    let kit = Kit::new();
    kit.worker().workflow(caller(Some(60))).activity(activity("reserve"), echo()).start().unwrap();
    kit.start("caller", "w", json(1));
    kit.clock.advance(secs(60));
    let outcome = kit.result("w");
    let Err(error) = outcome.result() else { panic!("{outcome:?}") };
    assert!(error.to_string().contains(REASON), "{error}");
}

#[test]
fn an_unregistered_workflow_is_accepted_and_begins_when_it_is_there() {
    let kit = Kit::new();
    kit.worker().workflow(caller(None)).start().unwrap();
    kit.start("later", "w", json(5));
    let described = kit.describe("w");
    assert_eq!((described.status, described.mailbox), (RunStatus::Blocked, 1));
    assert_eq!(
        described.blocked.as_deref(),
        Some("workflow not registered on queue `q`: later; known: caller")
    );
    assert!(kit.names("w").is_empty());
    let kit = kit.killed();
    let later = workflow("later", |_, input| async move { Ok(input) });
    kit.worker().workflow(caller(None)).start().unwrap();
    assert_eq!(kit.describe("w").status, RunStatus::Blocked);
    kit.worker().workflow(later).start().unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json(5));
    assert_eq!(kit.names("w"), ["WorkflowStarted", "WorkflowCompleted"]);
}

#[test]
fn an_argument_of_the_wrong_shape_fails_the_run() {
    let kit = Kit::new();
    let code = workflow("typed", |_, input| async move {
        let number: u32 = input
            .decode()
            .map_err(|error| WorkflowError::Codec { what: "the input".into(), message: error.to_string() })?;
        Ok(json(number))
    });
    kit.worker().workflow(code).start().unwrap();
    kit.start("typed", "w", json("text"));
    let outcome = kit.result("w");
    assert_eq!(outcome.status, RunStatus::Failed);
    assert!(matches!(outcome.result(), Err(WorkflowError::Codec { .. })));
}

#[test]
fn a_worker_without_the_activity_of_another_queue_does_not_matter() {
    let kit = Kit::new();
    let code = workflow("two queues", |ctx, input| async move {
        let options = ActivityOptions {
            queue: Some(steadfast_core::QueueName::new("other").unwrap()),
            ..ActivityOptions::default()
        };
        call_with(&ctx, "echo", input, options).await
    });
    kit.worker().workflow(code).start().unwrap();
    kit.start("two queues", "w", json(1));
    assert_eq!(kit.describe("w").attention, ["not registered: echo; known: none (no worker serves `other`)"]);
    let other = kit.engine.worker(steadfast_core::QueueName::new("other").unwrap());
    other.activity(activity("echo"), echo()).start().unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json(1));
}
