//! Ending an engine in order.

use futures::executor::block_on;
use steadfast_core::history::EventKind;
use steadfast_engine::{StartError, Unavailable};
use steadfast_store::Sessions;

use crate::kit::*;

fn one() -> std::sync::Arc<dyn steadfast_core::exec::Definition> {
    workflow("one", |ctx, input| async move { call(&ctx, "work", input).await })
}

#[test]
fn what_finished_is_committed_and_the_rest_is_handed_back() {
    let kit = Kit::new();
    let work = body(|ctx, input| async move {
        if input == json("long") && ctx.info().attempt == 1 {
            return std::future::pending().await;
        }
        Ok(json(ctx.info().attempt))
    });
    kit.worker().workflow(one()).activity(activity("work"), work.clone()).start().unwrap();
    kit.start("one", "long", json("long"));
    kit.start("one", "short", json("short"));
    block_on(kit.engine.shutdown(Some(std::time::Duration::from_millis(50))));
    let refused = block_on(kit.client.start(Kit::request("one", "new", json(()))));
    assert_eq!(refused, Err(StartError::Unavailable(Unavailable::ShuttingDown)));
    assert!(kit.store.sessions().unwrap().is_empty(), "the session is ended");
    let Kit { store, clock, engine, client } = kit;
    drop((engine, client));
    let configured = config(&clock);
    let kit = Kit::open(store, configured, clock);
    assert_eq!(kit.result("short").result().unwrap(), json(1));
    kit.worker().workflow(one()).activity(activity("work"), work).start().unwrap();
    assert_eq!(kit.result("long").result().unwrap(), json(2), "the next attempt begins at once");
    let history = kit.history("long");
    let EventKind::ActivityCompleted(e) = &history[2].kind else { panic!("{history:?}") };
    assert_eq!(e.attempts.attempt, 2);
}

#[test]
fn a_body_that_ends_within_the_grace_is_waited_for() {
    let kit = Kit::new();
    let gate = Gate::default();
    let door = gate.clone();
    let work = body(move |_, input| {
        let door = door.clone();
        async move {
            door.pass().await;
            Ok(input)
        }
    });
    kit.worker().workflow(one()).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(1));
    let ends = kit.engine.shutdown(Some(secs(10)));
    let opens = std::thread::spawn(move || gate.open());
    block_on(ends);
    opens.join().unwrap();
    let Kit { store, clock, engine, client } = kit;
    drop((engine, client));
    let configured = config(&clock);
    let kit = Kit::open(store, configured, clock);
    assert_eq!(kit.result("w").result().unwrap(), json(1));
}

#[test]
fn a_result_whose_write_is_slow_is_not_lost() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use steadfast_engine::ManualClock;
    use steadfast_store::faults::{CallKind, FaultPlan, FaultStore, Phase};

    let (slow, gate, ended) = (Arc::new(AtomicBool::new(false)), Gate::default(), Gate::default());
    let (is_slow, door) = (Arc::clone(&slow), gate.clone());
    let clock = Arc::new(ManualClock::new(at(1_000)));
    let store = new_store();
    let held = FaultStore::new(store.clone(), FaultPlan::none()).with_hook(move |call| {
        if call.kind == CallKind::Commit && call.phase == Phase::Before && is_slow.load(Ordering::SeqCst) {
            door.pass_blocking();
        }
        None
    });
    let kit = Kit::open_on(Arc::new(held), store, config(&clock), clock);
    let told = ended.clone();
    let work = body(move |ctx, _| {
        let (slow, told) = (Arc::clone(&slow), told.clone());
        async move {
            slow.store(true, Ordering::SeqCst);
            told.open();
            Ok(json(ctx.info().attempt))
        }
    });
    kit.worker().workflow(one()).activity(activity("work"), work).start().unwrap();
    kit.start("one", "w", json(()));
    ended.pass_blocking();
    let engine = kit.engine.clone();
    let ends = std::thread::spawn(move || block_on(engine.shutdown(Some(secs(5)))));
    gate.open();
    ends.join().unwrap();
    let Kit { store, clock, engine, client } = kit;
    drop((engine, client));
    let configured = config(&clock);
    let kit = Kit::open(store, configured, clock);
    assert_eq!(kit.result("w").result().unwrap(), json(1));
}
