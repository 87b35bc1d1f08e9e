//! Runs that cannot be activated wait, and go on when fitting code is there.

use futures::executor::block_on;
use steadfast_engine::CancelRequest;
use steadfast_store::RunStatus;

use crate::kit::*;

#[test]
fn a_mismatch_blocks_the_run_and_fitting_code_lets_it_go_on() {
    let kit = Kit::new();
    let gate = Gate::default();
    let door = gate.clone();
    let wait = body(move |_, input| {
        let door = door.clone();
        async move {
            door.pass().await;
            Ok(input)
        }
    });
    let good = || workflow("w", |ctx, input| async move { call(&ctx, "wait", input).await });
    let bad = workflow("w", |ctx, input| async move { call(&ctx, "other", input).await });
    let worker = kit.worker().workflow(good()).activity(activity("wait"), wait.clone()).start().unwrap();
    kit.start("w", "w", json(1));
    kit.eventually("it runs", |kit| kit.names("w").len() == 2);
    worker.stop();
    let worker = kit.worker().workflow(bad).activity(activity("wait"), wait.clone()).start().unwrap();
    gate.open();
    kit.eventually("it is blocked", |kit| kit.describe("w").status == RunStatus::Blocked);
    let described = kit.describe("w");
    assert_eq!(described.mailbox, 1, "the result waits");
    let reason = described.blocked.unwrap();
    assert!(reason.contains("wait") && reason.contains("other"), "{reason}");
    assert_eq!(kit.names("w").len(), 2, "nothing is appended");
    worker.stop();
    let kit = kit.killed();
    kit.worker().workflow(good()).activity(activity("wait"), wait).start().unwrap();
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    assert_eq!(kit.names("w").len(), 4);
}

#[test]
fn a_panic_is_tried_again_after_a_pause_and_inputs_wait_meanwhile() {
    let kit = Kit::new();
    let calls = Calls::default();
    let notes = calls.clone();
    let code = workflow("panics", move |ctx, input| {
        let notes = notes.clone();
        async move {
            sleep(&ctx, secs(1)).await?;
            if notes.note("woken") < 3 {
                panic!("a fault in the code");
            }
            Ok(input)
        }
    });
    let other = workflow("other", |_, input| async move { Ok(input) });
    kit.worker().workflow(code).workflow(other).start().unwrap();
    kit.start("panics", "w", json(1));
    kit.clock.advance(secs(1));
    kit.eventually("it is blocked", |kit| kit.describe("w").status == RunStatus::Blocked);
    kit.start("other", "beside", json(2));
    assert_eq!(kit.result("beside").result().unwrap(), json(2));
    kit.clock.advance(secs(1));
    kit.eventually("it was tried again", |_| calls.of("woken") == 2);
    kit.clock.advance(secs(2));
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    assert_eq!(kit.names("w"), ["WorkflowStarted", "TimerStarted", "TimerFired", "WorkflowCompleted"]);
}

#[test]
fn a_blocked_run_can_be_cancelled_and_terminated() {
    let kit = Kit::new();
    kit.worker().workflow(workflow("panics", |_, _| async { panic!("always") })).start().unwrap();
    kit.start("panics", "w", json(1));
    let request = CancelRequest { run: selector("w"), reason: "stop".into(), request_id: None };
    block_on(kit.client.cancel(request)).unwrap();
    assert_eq!(kit.describe("w").mailbox, 2);
    let request =
        steadfast_engine::TerminateRequest { run: selector("w"), reason: "by hand".into(), request_id: None };
    block_on(kit.client.terminate(request)).unwrap();
    assert_eq!(kit.names("w"), ["WorkflowStarted", "WorkflowTerminated"]);
    assert_eq!(kit.describe("w").mailbox, 0);
}
