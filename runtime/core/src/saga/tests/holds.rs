use crate::error::WorkflowError;
use crate::exec::tests::kit::*;
use crate::exec::{Blocked, Definition};
use crate::failure::{AttemptFailure, Disposition, Effect, Severity};
use crate::history::{ActivityFailed, AttemptSummary, EventKind, OperatorDecision};
use crate::id::EventId;
use crate::payload::Payload;
use crate::time::Timestamp;

use OperatorDecision::{Approve, Retry};

fn skip() -> OperatorDecision {
    OperatorDecision::Skip { reason: "refunded by hand".into() }
}

fn answer() -> OperatorDecision {
    OperatorDecision::Answer { output: Payload::null() }
}

/// Three steps that can be undone, the last fails; undos that fail wait for an operator.
fn held() -> std::sync::Arc<dyn Definition> {
    define(|ctx| async move {
        let saga = ctx.saga(None);
        saga.hold_for_operator();
        let inside = saga.clone();
        saga.run(async move {
            step(&inside, "s1", "u1").await?;
            step(&inside, "s2", "u2").await?;
            step(&inside, "s3", "u3").await
        })
        .await
    })
}

pub(super) fn given_up(scheduled: u64, attempt: u32) -> EventKind {
    let attempts = AttemptSummary { attempt, begun: vec![], failures: vec![], effect: Effect::Unknown };
    let error = application("Down", Disposition::Retryable { after: None, no_effect: false });
    ActivityFailed { scheduled: EventId(scheduled), error, exhausted: true, attempts }.into()
}

/// The undo of step 4 has failed, that of step 2 has run.
pub(super) fn waiting() -> Drive {
    let mut drive = Drive::start(held());
    drive.ok(2, 1).ok(4, 2).declined(6).input(given_up(9, 10)).ok(11, 0);
    assert_eq!(
        drive.holds(),
        ["the undo `u2` of step 4 failed after 10 attempts (given up after 10 attempts: Down: no); \
          an operator decides: retry, skip, answer"]
    );
    drive
}

#[track_caller]
fn ends(drive: &Drive, end: &str) {
    assert_eq!(drive.holds(), Vec::<String>::new());
    assert!(drive.text().ends_with(end), "{}", drive.text());
}

#[test]
fn the_others_run_first_and_a_retry_goes_on_under_the_first_key() {
    let mut drive = waiting();
    drive.decide(4, Retry);
    let scheduled: Vec<_> = drive
        .history
        .iter()
        .filter_map(|event| {
            let EventKind::ActivityScheduled(e) = &event.kind else { return None };
            let is_undo = e.undoes == Some(EventId(4));
            is_undo.then(|| (event.id.0, e.idempotency_key.as_str().to_owned(), e.attempts_before))
        })
        .collect();
    let key = "w/07070707-0707-0707-0707-070707070707/9".to_owned();
    assert_eq!(scheduled, [(9, key.clone(), 0), (14, key, 10)]);
    drive.ok(14, 0);
    ends(
        &drive,
        "16 CompensationFinished undone 2 failed 0\n17 Failed `s3` failed: Declined: no Compensated",
    );
}

#[test]
fn a_retry_that_fails_waits_again_with_all_its_attempts() {
    let mut drive = waiting();
    drive.decide(4, Retry).input(given_up(14, 13));
    assert!(drive.holds()[0].contains("after 13 attempts"), "{:?}", drive.holds());
    drive.decide(4, skip());
    ends(
        &drive,
        r#"Failed([FailedUndo { step: Some(EventId(4)), undo: "u2", attempts: 13, error: "given up after 13 attempts: Down: no", skipped: Some("refunded by hand") }])"#,
    );
}

#[test]
fn an_answer_counts_as_success() {
    let mut drive = waiting();
    drive.decide(4, answer());
    ends(
        &drive,
        "13 answer 4\n14 CompensationFinished undone 2 failed 0\n15 Failed `s3` failed: Declined: no Compensated",
    );
}

#[test]
fn several_wait_together_and_are_decided_in_any_order() {
    let mut drive = Drive::start(held());
    drive.ok(2, 1).ok(4, 2).declined(6).input(given_up(9, 10)).input(given_up(11, 10));
    assert_eq!(drive.holds().len(), 2);
    drive.decide(2, Retry).decide(4, answer());
    assert_eq!(drive.holds().len(), 0, "4 is decided, and followed once the retry is over");
    assert!(drive.try_input(Drive::decided(4, skip())).is_err(), "the first decision stands");
    let mut drive = Drive::start(held());
    drive.ok(2, 1).ok(4, 2).declined(6).input(given_up(9, 10)).input(given_up(11, 10));
    drive.decide(2, Retry).decide(4, answer());
    drive.ok(14, 0);
    ends(&drive, "undone 2 failed 0\n18 Failed `s3` failed: Declined: no Compensated");
}

#[test]
fn a_cancel_reaches_nothing_that_waits() {
    let mut drive = waiting();
    drive.cancel();
    assert_eq!(drive.holds().len(), 1);
    drive.decide(4, answer());
    ends(&drive, "Failed `s3` failed: Declined: no Compensated");
}

#[test]
fn an_undo_that_is_an_operators_waits_for_approval_after_the_others() {
    let definition = || {
        define(|ctx| async move {
            let saga = ctx.saga(None);
            let inside = saga.clone();
            saga.run(async move {
                step(&inside, "s1", "u1").await?;
                careful(&inside, "s2", "u2").await?;
                call(inside.context(), "s3").await
            })
            .await
        })
    };
    let start = || {
        let mut drive = Drive::start(definition());
        drive.ok(2, 1).ok(4, 2).declined(6).ok(9, 0);
        let expected = "the undo `u2` of step 4 is an operator's; an operator decides: approve, skip, answer";
        assert_eq!(drive.holds(), [expected]);
        drive
    };
    let mut drive = start();
    drive.decide(4, Approve).ok(12, 0);
    ends(&drive, "undone 2 failed 0\n15 Failed `s3` failed: Declined: no Compensated");
    let mut drive = start();
    drive.decide(4, Approve).input(given_up(12, 10));
    ends(
        &drive,
        r#"undo: "u2", attempts: 10, error: "given up after 10 attempts: Down: no", skipped: None }])"#,
    );
    let mut drive = start();
    drive.decide(4, skip());
    ends(&drive, r#"undo: "u2", attempts: 0, error: "", skipped: Some("refunded by hand") }])"#);
}

/// A failure that asks for people, of a step with an undo or without one.
fn intervened(undo: Option<&'static str>) -> Drive {
    let mut drive = Drive::start(define(move |ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move {
            step(&inside, "s1", "u1").await?;
            match undo {
                Some(undo) => step(&inside, "s2", undo).await,
                None => plain(&inside, "s2").await,
            }
        })
        .await
    }));
    let error = application("Unbooked", Disposition::Compensate { severity: Severity::Intervene });
    let failures = vec![AttemptFailure { attempt: 1, at: Timestamp::ZERO, error: error.clone() }];
    let attempts = AttemptSummary { attempt: 1, begun: vec![], failures, effect: Effect::Unknown };
    drive.ok(2, 1);
    drive.input(ActivityFailed { scheduled: EventId(4), error, exhausted: false, attempts }.into());
    let expected =
        "the unwinding that began with event 6 waits because of step 4; an operator decides: approve";
    assert_eq!(drive.holds(), [expected]);
    drive
}

#[test]
fn nothing_is_undone_before_somebody_has_approved_where_a_failure_asks_for_it() {
    let mut drive = intervened(Some("u2"));
    drive.decide(6, Approve).ok(8, 0).ok(10, 0);
    ends(&drive, "undone 2 failed 0\n13 Failed `s2` failed: Unbooked: no Compensated");
    let mut drive = intervened(None);
    drive.decide(6, Approve).ok(8, 0);
    ends(&drive, "undone 1 failed 0\n11 Failed `s2` failed: Unbooked: no Compensated");
}

#[test]
fn a_decision_that_fits_nothing_blocks_and_appends_nothing() {
    let refused = |decision: EventKind| match waiting().try_input(decision) {
        Err(Blocked::History(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let no_hold = refused(Drive::decided(2, Retry));
    assert!(no_hold.contains("nothing waits for a decision on event 2"), "{no_hold}");
    let misfit = refused(Drive::decided(4, Approve));
    assert!(misfit.contains("`approve` does not fit: the undo `u2` of step 4 failed"), "{misfit}");
}

#[test]
fn what_waits_has_no_bearing_on_another_saga() {
    let mut drive = Drive::start(define(|ctx| async move {
        let first = ctx.saga(None);
        first.hold_for_operator();
        let f = first.clone();
        let one = ctx.spawn(async move {
            let inside = f.clone();
            let result: Result<u64, WorkflowError> = f
                .run(async move {
                    step(&inside, "s1", "u1").await?;
                    Err(failed("one"))
                })
                .await;
            result.is_ok()
        });
        let second = ctx.saga(None);
        let s = second.clone();
        let two = second
            .run(async move {
                step(&s, "t1", "v1").await?;
                Err::<u64, _>(failed("two"))
            })
            .await;
        one.await;
        two
    }));
    drive.ok(2, 0).ok(3, 0);
    let text = drive.text();
    assert!(text.contains("scheduled u1") && text.contains("scheduled v1"), "{text}");
    let of = |name: &str, drive: &Drive| {
        let line = drive.text();
        let found = line.lines().find(|line| line.contains(name)).unwrap().to_owned();
        found.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let (u1, v1) = (of("scheduled u1", &drive), of("scheduled v1", &drive));
    drive.input(given_up(u1, 10));
    assert_eq!(drive.holds().len(), 1);
    drive.ok(v1, 0);
    assert!(drive.text().ends_with("CompensationFinished undone 1 failed 0"), "{}", drive.text());
    let step = drive
        .history
        .iter()
        .find(|event| matches!(&event.kind, EventKind::ActivityScheduled(e) if e.activity.as_str() == "s1"));
    drive.decide(step.unwrap().id.0, answer());
    ends(&drive, "Failed Error: two Compensated");
}
