//! Stores that fail for a while.

use std::sync::Arc;

use futures::executor::block_on;
use steadfast_core::RequestId;
use steadfast_core::exec::Definition;
use steadfast_engine::{ManualClock, StartError, Unavailable};
use steadfast_store::MemoryStore;
use steadfast_store::faults::{CallKind, Fault, FaultPlan, FaultRates, FaultStore};

use crate::kit::*;

fn kit(plan: FaultPlan) -> (Kit, FaultStore<MemoryStore>) {
    let clock = Arc::new(ManualClock::new(at(1_000)));
    let store = new_store();
    let faults = FaultStore::new(store.clone(), FaultPlan::none());
    let kit = Kit::open_on(Arc::new(faults.clone()), store, config(&clock), clock);
    kit.worker().workflow(code()).activity(activity("echo"), echo()).start().unwrap();
    faults.set_plan(plan);
    (kit, faults)
}

fn code() -> Arc<dyn Definition> {
    workflow("three", |ctx, input| async move {
        for _ in 0..3 {
            call(&ctx, "echo", input.clone()).await?;
        }
        Ok(input)
    })
}

/// Sends the same request until it is answered, and lets time pass meanwhile.
fn start_until_answered(kit: &Kit, workflow_id: &str) {
    let mut request = Kit::request("three", workflow_id, json(1));
    request.request_id = Some(RequestId::new(workflow_id).unwrap());
    // The committer's thread needs the processor to settle what is in flight, however fast the clock is moved.
    let deadline = std::time::Instant::now() + secs(60);
    while let Err(error) = block_on(kit.client.start(request.clone())) {
        assert!(matches!(error, StartError::Unavailable(_)), "{error}");
        assert!(std::time::Instant::now() < deadline, "{error}");
        kit.clock.advance(std::time::Duration::from_millis(100));
        std::thread::yield_now();
    }
}

#[test]
fn a_start_whose_outcome_is_unknown_can_be_sent_again_and_starts_one_run() {
    for fault in [Fault::FailBefore, Fault::FailAfter] {
        let (kit, faults) = kit(FaultPlan::none());
        let next = faults.calls(CallKind::Commit) + 1;
        faults.set_plan(FaultPlan::none().at(CallKind::Commit, next, fault));
        let mut request = Kit::request("three", "w", json(1));
        request.request_id = Some(RequestId::new("r").unwrap());
        let error = block_on(kit.client.start(request)).unwrap_err();
        assert!(
            matches!(error, StartError::Unavailable(Unavailable::OutcomeUnknown(_))),
            "{fault:?}: {error}"
        );
        kit.clock.advance(secs(1));
        let mut request = Kit::request("three", "w", json(1));
        request.request_id = Some(RequestId::new("r").unwrap());
        block_on(kit.client.start(request)).unwrap();
        assert_eq!(kit.result("w").result().unwrap(), json(1));
        assert_eq!(kit.names("w").len(), 8);
    }
}

#[test]
fn a_store_that_fails_now_and_then_stops_nothing_for_good() {
    let rates = FaultRates { fail_before: 10, fail_after: 10, ..FaultRates::default() };
    for seed in 0..5 {
        let (kit, faults) = kit(FaultPlan::seeded(seed, rates));
        for index in 0..20 {
            start_until_answered(&kit, &format!("w-{index}"));
        }
        faults.set_plan(FaultPlan::none());
        kit.clock.advance(secs(10));
        for index in 0..20 {
            let workflow_id = format!("w-{index}");
            let mut outcome = None;
            while outcome.is_none() {
                kit.clock.advance(secs(1));
                outcome = block_on(kit.client.result(&selector(&workflow_id))).ok();
            }
            assert_eq!(outcome.unwrap().result().unwrap(), json(1));
            assert_eq!(kit.names(&workflow_id).len(), 8);
        }
        kit.eventually("all slots are free", |kit| {
            kit.clock.advance(secs(1));
            kit.engine.slots_in_use() == 0
        });
    }
}

#[test]
fn one_damaged_run_stops_no_other_and_is_shown() {
    use steadfast_store::{Commits, Expected, Group, Runs, Sessions, Transition, Write};
    let (kit, _faults) = kit(FaultPlan::none());
    let sleeper = workflow("sleeper", |ctx, input| async move {
        sleep(&ctx, secs(100)).await?;
        Ok(input)
    });
    kit.worker().workflow(sleeper).start().unwrap();
    kit.start("sleeper", "damaged", json(1));
    kit.start("sleeper", "beside", json(2));
    let shard = id("damaged").shard(kit.store.shard_count());
    let run = kit.describe("damaged").run_id;
    let mut head = kit.store.head(shard, run).unwrap().unwrap();
    head.body.truncate(3);
    let epoch = kit.store.shards().unwrap()[usize::from(shard.0)].epoch;
    let expected = Some(Expected { run, last_event: head.last_event });
    let transition = Transition { shard, epoch, expected, writes: vec![Write::PutHead(head)] };
    kit.store.commit(&Group { at: at(1_000), transitions: vec![transition] }).unwrap();
    let kit = kit.killed();
    let sleeper = workflow("sleeper", |ctx, input| async move {
        sleep(&ctx, secs(100)).await?;
        Ok(input)
    });
    kit.worker().workflow(sleeper).start().unwrap();
    let error = block_on(kit.client.describe(&selector("damaged"))).unwrap_err();
    assert!(error.to_string().contains("the head of run"), "{error}");
    kit.clock.advance(secs(100));
    assert_eq!(kit.result("beside").result().unwrap(), json(2));
}
