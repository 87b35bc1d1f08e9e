use super::holds::{given_up, waiting};
use crate::exec::tests::kit::*;
use crate::failure::Effect;
use crate::history::OperatorDecision;
use crate::saga::{SagaReport, UndoState, saga_reports};

/// A report as lines.
fn lines(report: &SagaReport) -> Vec<String> {
    let head = format!(
        "saga {} from {} ({}), finished {}",
        report.saga,
        report.started,
        report.cause,
        report.finished_at.is_some()
    );
    let steps = report.steps.iter().map(|step| {
        let calls: Vec<String> = step
            .calls
            .iter()
            .map(|call| {
                let attempts = call.attempts.as_ref().map(|attempts| attempts.attempt);
                format!("{} after {attempts:?} {:?}", call.scheduled, call.error.is_none())
            })
            .collect();
        let decisions: Vec<String> =
            step.decisions.iter().map(|made| format!("{} {}", made.who, made.decision.name())).collect();
        let (name, effect, state) = (&step.activity, step.effect, step.state);
        format!("{name} {} {effect:?}: {state:?} {calls:?} {decisions:?}", step.step)
    });
    std::iter::once(head).chain(steps).collect()
}

#[test]
fn it_tells_every_call_and_every_decision() {
    let mut drive = waiting();
    let open = saga_reports(&drive.history);
    assert_eq!(
        lines(&open[0]),
        [
            "saga 1 from 8 (`s3` failed: Declined: no), finished false",
            r#"s2 4 Done: Failed ["9 after Some(10) false"] []"#,
            r#"s1 2 Done: Undone ["11 after Some(1) true"] []"#,
        ]
    );
    drive.decide(4, OperatorDecision::Retry);
    assert_eq!(saga_reports(&drive.history)[0].steps[0].state, UndoState::Open);
    drive.input(given_up(14, 13)).decide(4, OperatorDecision::Skip { reason: "enough".into() });
    let reports = saga_reports(&drive.history);
    assert_eq!(reports.len(), 1);
    assert_eq!(
        lines(&reports[0])[..2],
        [
            "saga 1 from 8 (`s3` failed: Declined: no), finished true",
            r#"s2 4 Done: Skipped ["9 after Some(10) false", "14 after Some(13) false"] ["ann retry", "ann skip"]"#,
        ]
    );
    let json = serde_json::to_string(&reports).unwrap();
    assert_eq!(serde_json::from_str::<Vec<SagaReport>>(&json).unwrap(), reports);
}

#[test]
fn steps_of_a_nested_saga_are_told_where_they_were_undone() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let outer = saga.clone();
        saga.run(async move {
            let nested = outer.context().saga(Some(&outer));
            let inner = nested.clone();
            nested.run(async move { step(&inner, "n1", "v1").await }).await?;
            careful(&outer, "s1", "u1").await?;
            call(outer.context(), "s2").await
        })
        .await
    }));
    drive.ok(2, 1).timed_out(4);
    drive.ok(7, 0).decide(4, OperatorDecision::Answer { output: crate::payload::Payload::null() });
    let reports = saga_reports(&drive.history);
    assert_eq!(
        lines(&reports[0])[1..],
        [
            r#"n1 2 Done: Undone ["7 after Some(1) true"] []"#.to_owned(),
            format!("s1 4 {:?}: Undone [] {:?}", Effect::Unknown, ["ann answer"]),
        ]
    );
    assert!(saga_reports(&drive.history[..4]).is_empty(), "a saga that did not unwind has nothing to tell");
}
