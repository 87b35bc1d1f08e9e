use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::kit::*;
use crate::exec::{Blocked, Definition, Executor, RunContext};
use crate::history::{Compensation, Event, WorkflowTerminated};
use crate::id::EventId;
use crate::options::ActivityOptions;

fn sequence(names: &'static [&'static str], end: Result<u64, &'static str>) -> Arc<dyn Definition> {
    define(move |ctx| async move {
        for name in names {
            call(&ctx, name).await?;
        }
        end.map_err(failed)
    })
}

fn recorded() -> Drive {
    let mut drive = Drive::start(sequence(&["A", "B", "C"], Ok(1)));
    drive.ok(2, 0).ok(4, 0).ok(6, 0);
    drive
}

#[test]
fn unchanged_code_fits_and_each_change_is_named_with_its_event() {
    let drive = recorded();
    assert_eq!(drive.replay_with(sequence(&["A", "B", "C"], Ok(1))), Ok(()));
    let report = |definition| drive.replay_with(definition).unwrap_err().to_string();
    let cases = [
        (
            report(sequence(&["A", "B"], Ok(1))),
            "at event 6: recorded is ActivityScheduled(C)",
            "issued WorkflowCompleted",
        ),
        (
            report(sequence(&["A", "B", "C", "D"], Ok(1))),
            "at event 8: recorded is WorkflowCompleted",
            "issued ActivityScheduled(D)",
        ),
        (
            report(sequence(&["A", "C", "B"], Ok(1))),
            "at event 4: recorded is ActivityScheduled(B) at runtime/core/src/exec/tests/kit.rs",
            "issued ActivityScheduled(C)",
        ),
        (
            report(sequence(&["A", "B", "C"], Err("x"))),
            "at event 8: recorded is WorkflowCompleted",
            "issued WorkflowFailed",
        ),
        (
            report(define(|ctx| async move { sleep(&ctx, 1).await.map(|()| 1) })),
            "at event 2: recorded is ActivityScheduled(A)",
            "issued TimerStarted",
        ),
    ];
    for (report, recorded, issued) in cases {
        assert!(report.contains(recorded) && report.contains(issued), "{report}");
    }
}

#[test]
fn code_that_issues_less_is_found_too() {
    let drive = recorded();
    let waits = define(|ctx| async move {
        call(&ctx, "A").await?;
        ctx.cancelled().await;
        Ok(0)
    });
    let report = drive.replay_with(waits).unwrap_err().to_string();
    assert!(
        report.contains("recorded is ActivityScheduled(B)") && report.contains("the code issued nothing"),
        "{report}"
    );
}

#[test]
fn a_side_effect_that_does_not_fit_stops_the_code_at_once() {
    let drive = recorded();
    let other = define(|ctx: RunContext| async move {
        call(&ctx, "A").await?;
        let value = ctx.side_effect(std::panic::Location::caller(), || unreachable!("not called at replay"));
        panic!("went on with {value:?}")
    });
    let Err(Blocked::Mismatch(mismatch)) = drive.replay_with(other) else { panic!("not a mismatch") };
    assert_eq!(mismatch.event.0, 4);
}

#[test]
fn a_side_effect_beside_the_call_that_does_not_fit_is_not_computed() {
    static REACHED: AtomicU32 = AtomicU32::new(0);
    let drive = recorded();
    let other = define(|ctx: RunContext| async move {
        let beside = async {
            ctx.side_effect(std::panic::Location::caller(), || {
                REACHED.fetch_add(1, Ordering::Relaxed);
                crate::Payload::null()
            });
            REACHED.fetch_add(1, Ordering::Relaxed);
        };
        futures::future::join(call(&ctx, "other"), beside).await.0
    });
    let Err(Blocked::Mismatch(mismatch)) = drive.replay_with(other) else { panic!("not a mismatch") };
    assert_eq!(mismatch.event.0, 2);
    assert_eq!(REACHED.load(Ordering::Relaxed), 0, "neither the closure nor the code after it ran");
}

#[test]
fn a_run_that_was_ended_before_its_code_had_begun_replays() {
    let definition = define(|ctx| async move { call(&ctx, "A").await });
    let at = crate::Timestamp::ZERO;
    let (reason, compensation) = ("no longer wanted".to_owned(), Compensation::None);
    let end = WorkflowTerminated { reason, undos_not_run: vec![], compensation };
    let history = [started(), end.into()].into_iter().zip(1..);
    let history: Vec<Event> = history.map(|(kind, id)| Event { id: EventId(id), at, kind }).collect();
    let mut executor = Executor::new(definition, ActivityOptions::default());
    executor.replay(&history).unwrap();
    assert_eq!(executor.last_event().0, 2);
}

/// Its destructor asks for everything that a context can give.
struct Guard(RunContext);
static DROPS: AtomicU32 = AtomicU32::new(0);

impl Drop for Guard {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
        let ctx = self.0.clone();
        let _ = self.0.now();
        let _ = self.0.side_effect(std::panic::Location::caller(), crate::Payload::null);
        drop(self.0.spawn(async move { call(&ctx, "cleanup").await }));
        self.0.cancel_scope();
    }
}

#[test]
fn dropping_a_run_from_memory_issues_nothing_and_frees_it() {
    let definition = define(|ctx| async move {
        let _guard = Guard(ctx.disconnected());
        call(&ctx, "A").await?;
        Ok(1)
    });
    let mut executor = Executor::new(definition.clone(), ActivityOptions::default());
    let mut history = executor.activate(crate::Timestamp::ZERO, started()).unwrap().events;
    let cell = Arc::downgrade(&definition);
    for round in 1..=10 {
        let weak = std::rc::Rc::downgrade(&executor.cell);
        drop(executor);
        assert_eq!(weak.strong_count(), 0, "the run is freed");
        assert_eq!(DROPS.load(Ordering::Relaxed), round);
        executor = Executor::new(definition.clone(), ActivityOptions::default());
        executor.replay(&history).unwrap();
        assert_eq!(executor.last_event().0, 2, "nothing was issued");
    }
    drop(cell);
    let mut drive = Drive::start(definition);
    drive.ok(2, 0);
    history = drive.history;
    // The destructor runs for real at the end: its side effect counts, its task comes too late to be polled.
    assert_eq!(history.len(), 5, "{history:?}");
}
