//! Who gets a workflow id.

use futures::executor::block_on;
use steadfast_core::{RequestId, WorkflowError};
use steadfast_engine::{IdConflictPolicy, IdReusePolicy, RunSelector, StartError, StartRequest};
use steadfast_store::{ListFilter, RunStatus};

use crate::kit::*;

fn kit() -> Kit {
    let kit = Kit::new();
    let sleeper = workflow("sleeper", |ctx, input| async move {
        sleep(&ctx, secs(1_000)).await?;
        Ok(input)
    });
    let fails = workflow("fails", |_, _| async move { Err(WorkflowError::fail("no")) });
    let done = workflow("done", |_, input| async move { Ok(input) });
    kit.worker().workflow(sleeper).workflow(fails).workflow(done).start().unwrap();
    kit
}

fn again(workflow: &str, change: impl FnOnce(&mut StartRequest)) -> StartRequest {
    let mut request = Kit::request(workflow, "w", json(1));
    change(&mut request);
    request
}

#[test]
fn a_repeated_request_is_answered_as_the_first_time_before_any_policy() {
    let kit = kit();
    let request = again("sleeper", |request| request.request_id = Some(RequestId::new("r-1").unwrap()));
    let first = block_on(kit.client.start(request.clone())).unwrap();
    let second = block_on(kit.client.start(request.clone())).unwrap();
    assert_eq!(first, second);
    let kit = kit.killed();
    assert_eq!(block_on(kit.client.start(request)).unwrap(), first);
    assert_eq!(block_on(kit.client.list(ListFilter::default(), None, 10)).unwrap().rows.len(), 1);
}

#[test]
fn an_open_run_keeps_its_id_unless_the_policy_says_otherwise() {
    let kit = kit();
    let first = block_on(kit.client.start(again("sleeper", |_| {}))).unwrap();
    let taken = block_on(kit.client.start(again("sleeper", |_| {}))).unwrap_err();
    assert_eq!(taken, StartError::AlreadyStarted { workflow_id: id("w"), run_id: first.run_id });
    let found = block_on(
        kit.client.start(again("sleeper", |request| request.id_conflict = IdConflictPolicy::UseExisting)),
    )
    .unwrap();
    assert_eq!((found.run_id, found.is_existing), (first.run_id, true));
    let replacing = again("sleeper", |request| request.id_conflict = IdConflictPolicy::TerminateExisting);
    let second = block_on(kit.client.start(replacing)).unwrap();
    assert_ne!(second.run_id, first.run_id);
    let old = RunSelector { workflow_id: id("w"), run_id: Some(first.run_id) };
    assert_eq!(block_on(kit.client.result(&old)).unwrap().status, RunStatus::Terminated);
    assert_eq!(kit.describe("w").run_id, second.run_id);
}

#[test]
fn the_id_of_a_closed_run_is_free_by_policy() {
    let kit = kit();
    let try_again = |policy| block_on(kit.client.start(again("fails", |request| request.id_reuse = policy)));
    try_again(IdReusePolicy::RejectDuplicate).unwrap();
    assert_eq!(kit.result("w").status, RunStatus::Failed);
    assert!(matches!(try_again(IdReusePolicy::RejectDuplicate), Err(StartError::AlreadyStarted { .. })));
    try_again(IdReusePolicy::AllowDuplicateFailedOnly).unwrap();
    assert_eq!(kit.result("w").status, RunStatus::Failed);
    block_on(kit.client.start(again("done", |_| {}))).unwrap();
    assert_eq!(kit.result("w").status, RunStatus::Completed);
    assert!(try_again(IdReusePolicy::AllowDuplicateFailedOnly).is_err());
    try_again(IdReusePolicy::AllowDuplicate).unwrap();
}

#[test]
fn lists_are_paged_and_filtered() {
    let kit = kit();
    for index in 0..25 {
        kit.clock.advance(secs(1));
        kit.start(if index % 5 == 0 { "fails" } else { "done" }, &format!("w-{index}"), json(index));
    }
    for index in 0..25 {
        kit.result(&format!("w-{index}"));
    }
    let filter = ListFilter { statuses: vec![RunStatus::Failed], ..ListFilter::default() };
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = block_on(kit.client.list(filter.clone(), after, 2)).unwrap();
        seen.extend(page.rows.into_iter().map(|row| row.workflow_id.to_string()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["w-20", "w-15", "w-10", "w-5", "w-0"]);
}
