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
