//! The same workflows with and without eviction: equal events, their times and ids included.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::ensure;
use steadfast::EngineConfig;
use steadfast::history::{Event, EventKind, from_json, to_json};
use steadfast_tests::kit::{Bed, Bodies, StoreKind, TestResult, story};

use crate::drive::{drive, show};
use crate::workflows::{
    cancelled, joined, line, races, register, sagas, scopes, spawned, steps, timed, values,
};

/// Beyond this length a run stays in memory also when everything else is dropped.
const EVICTED_EVENTS: u64 = 500;

type Histories = BTreeMap<&'static str, Vec<Event>>;

/// What became of all workflows, and how often a run was dropped from memory.
async fn run_all(kind: StoreKind, evict_always: bool) -> TestResult<(Histories, usize)> {
    let bodies = Bodies::new()?;
    let (handle, evicted) = (bodies.handle(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&evicted);
    let configure = move |config| {
        let count = Arc::clone(&count);
        let point = move |name: &'static str| {
            if name == "evicted" {
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        let (runtime, fail_points) = (Some(handle.clone()), Some(Arc::new(point) as _));
        EngineConfig { evict_always, runtime, fail_points, ..config }
    };
    let mut bed = Bed::with(kind, configure).await?;
    bed.serve(register).await?;
    let mut histories = Histories::new();
    macro_rules! run {
        ($($id:literal: $workflow:ident($input:expr);)*) => {$(
            bed.start($workflow, $id, $input).await?;
            drive(&bed, $id, $id == "cancelled").await?;
            histories.insert($id, bed.check_closed($workflow, $id).await?);
        )*};
    }
    run! {
        "line": line(10);
        "long line": line(300);
        "joined": joined(());
        "races": races(());
        "saga that succeeds": sagas("plane".to_owned());
        "saga that fails": sagas("full".to_owned());
        "steps": steps(());
        "scopes": scopes(());
        "values": values(());
        "spawned": spawned(());
        "timed": timed(());
        "cancelled": cancelled(());
    }
    bed.shutdown(std::time::Duration::ZERO).await;
    Ok((histories, evicted.load(Ordering::SeqCst)))
}

/// Compares event by event, so that the first difference is what is shown.
fn assert_equal(one: &Histories, other: &Histories) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (id, events) in one {
        let others = &other[id];
        for (event, other) in events.iter().zip(others) {
            assert_eq!(event, other, "of `{id}`");
        }
        assert_eq!(story(events), story(others), "of `{id}`");
    }
}

async fn a_run_that_is_dropped_after_every_activation_has_the_same_history(kind: StoreKind) -> TestResult {
    let (kept, dropped) = (run_all(kind, false).await?, run_all(kind, true).await?);
    assert_eq!(kept.1, 0, "nothing was dropped");
    assert_equal(&kept.0, &dropped.0);
    let activations = |events: &Vec<Event>| {
        let inputs = events.iter().filter(|event| event.kind.role() == steadfast::history::Role::Input);
        inputs.filter(|event| event.id.0 < EVICTED_EVENTS).count()
    };
    let activations: usize = dropped.0.values().map(activations).sum();
    show(format_args!("{kind:?}: {activations} activations, dropped {} times", dropped.1));
    // Several inputs may share a commit; each commit that ends with nothing in flight drops the run.
    assert!(dropped.1 * 2 > activations, "dropped {} times in {activations} activations", dropped.1);
    Ok(())
}

/// Everything that the set is there for did happen.
#[test]
fn the_set_is_as_varied_as_it_claims() -> TestResult {
    let case = async |kind| {
        let (histories, _) = run_all(kind, true).await?;
        let mut kinds: Vec<&str> = histories.values().flatten().map(|event| event.kind.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in [
            "ActivityCancelRequested",
            "ActivityCancelled",
            "ActivityCompleted",
            "ActivityFailed",
            "ActivityScheduled",
            "ActivityTimedOut",
            "CancelRequested",
            "CompensationFinished",
            "CompensationStarted",
            "SideEffectRecorded",
            "StepCompleted",
            "StepFailed",
            "StepStarted",
            "TimerCancelled",
            "TimerFired",
            "TimerStarted",
            "WorkflowCancelled",
            "WorkflowCompleted",
            "WorkflowFailed",
            "WorkflowStarted",
        ] {
            ensure!(kinds.contains(&kind), "no {kind} among {kinds:?}");
        }
        let is_retried = |event: &Event| matches!(&event.kind, EventKind::ActivityCompleted(done) if done.attempts.attempt == 3);
        let retried = histories.values().flatten().any(is_retried);
        ensure!(retried, "nothing was retried");
        for events in histories.values() {
            ensure!(from_json(&to_json(events)?)? == *events);
        }
        Ok(())
    };
    steadfast_tests::kit::run(StoreKind::Memory, case)
}

/// The stores do not show in a history either.
#[test]
fn the_histories_are_the_same_on_every_store() -> TestResult {
    let case = async |kind| {
        assert_equal(&run_all(kind, true).await?.0, &run_all(StoreKind::Sled, true).await?.0);
        Ok(())
    };
    steadfast_tests::kit::run(StoreKind::Memory, case)
}

steadfast_tests::on_stores!(a_run_that_is_dropped_after_every_activation_has_the_same_history);
