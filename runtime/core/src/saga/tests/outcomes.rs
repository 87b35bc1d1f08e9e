use crate::error::WorkflowError;
use crate::exec::tests::kit::*;
use crate::failure::{Disposition, Effect};
use crate::history::{ActivityFailed, AttemptSummary, CancelCause};
use crate::id::EventId;

fn one_step() -> std::sync::Arc<dyn crate::exec::Definition> {
    define(|ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move { step(&inside, "charge", "refund").await }).await
    })
}

#[test]
fn a_step_with_unknown_outcome_is_undone() {
    let mut drive = Drive::start(one_step());
    drive.timed_out(2).ok(5, 0);
    drive.check(
        r#"1 WorkflowStarted
         2 scheduled charge
         3 timed out 2
         4 CompensationStarted
         5 scheduled refund to undo 2 with {"input":"charge","output":null,"idempotency_key":"w/07070707-0707-0707-0707-070707070707/2","effect":"unknown"}
         6 completed 5
         7 CompensationFinished undone 1 failed 0
         8 Failed `charge` failed: given up after 1 attempts: start-to-close timeout Compensated"#,
    );
}

#[test]
fn a_step_that_says_nothing_happened_is_not_undone() {
    let mut drive = Drive::start(one_step());
    drive.declined(2);
    drive.check(
        "1 WorkflowStarted
         2 scheduled charge
         3 failed 2
         4 Failed `charge` failed: Declined: no None",
    );
}

#[test]
fn a_failed_undo_is_told_and_the_first_error_stays_the_cause() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move {
            step(&inside, "s1", "u1").await?;
            step(&inside, "s2", "u2").await?;
            step(&inside, "s3", "u3").await
        })
        .await
    }));
    drive.ok(2, 1).ok(4, 2).declined(6);
    let attempts = AttemptSummary { attempt: 10, begun: vec![], failures: vec![], effect: Effect::Unknown };
    let error = application("Down", Disposition::Retryable { after: None, no_effect: false });
    drive.input(ActivityFailed { scheduled: EventId(9), error, exhausted: true, attempts }.into());
    drive.ok(11, 0);
    let text = drive.text();
    assert!(text.contains("11 scheduled u1 to undo 2"), "{text}");
    assert!(text.contains("CompensationFinished undone 1 failed 1"), "{text}");
    let expected = r#"Failed `s3` failed: Declined: no Failed([FailedUndo { step: Some(EventId(4)), undo: "u2", attempts: 10, error: "given up after 10 attempts: Down: no", skipped: None }])"#;
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn an_imposed_end_lets_undos_run_and_then_decides_the_kind() {
    let definition = || {
        define(|ctx| async move {
            let saga = ctx.saga(None);
            let inside = saga.clone();
            saga.run(async move {
                step(&inside, "s1", "u1").await?;
                call(inside.context(), "long").await
            })
            .await
        })
    };
    let mut drive = Drive::start(definition());
    assert!(drive.has_undos(), "known from the moment it is scheduled");
    drive.ok(2, 1).impose(CancelCause::RunTimeout).cancelled(4, Effect::Unknown).ok(9, 0);
    drive.check(
        r#"1 WorkflowStarted
         2 scheduled s1
         3 completed 2
         4 scheduled long
         5 CancelRequested
         6 cancel 4
         7 cancelled 4
         8 CompensationStarted
         9 scheduled u1 to undo 2 with {"input":"s1","output":1,"idempotency_key":"w/07070707-0707-0707-0707-070707070707/2","effect":"done"}
         10 completed 9
         11 CompensationFinished undone 1 failed 0
         12 TimedOut Compensated"#,
    );
    assert!(!drive.has_undos());
    let mut drive = Drive::start(definition());
    drive.ok(2, 1).impose(CancelCause::HistoryLimit(5)).cancelled(4, Effect::None).ok(9, 0);
    assert!(drive.text().ends_with("12 Failed history limit 5 Compensated"), "{}", drive.text());
}

#[test]
fn unwinding_that_began_before_an_imposed_end_keeps_its_own_error() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move {
            step(&inside, "s1", "u1").await?;
            Err(failed("body"))
        })
        .await
    }));
    drive.ok(2, 1).impose(CancelCause::RunTimeout).ok(5, 0);
    assert!(drive.text().ends_with("Failed Error: body Compensated"), "{}", drive.text());
}

#[test]
fn the_body_decides_even_if_a_cancel_came_meanwhile() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move {
            let value = step(&inside, "s1", "u1").await?;
            Ok::<_, WorkflowError>(value)
        })
        .await
    }));
    drive.cancel().ok(2, 4);
    drive.check(
        "1 WorkflowStarted
         2 scheduled s1
         3 CancelRequested
         4 cancel 2
         5 completed 2
         6 Completed 4 None",
    );
    assert!(!drive.has_undos(), "a committed saga undoes nothing");
}
