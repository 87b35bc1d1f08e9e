//! Workflow code that does not come back: it waits at a gate, and the watchdog is told that it uses the processor.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use futures::executor::block_on;
use steadfast_core::RunId;
use steadfast_core::exec::{Definition, RunContext};
use steadfast_engine::{
    ActivityBody, EngineConfig, ManualClock, RunDescription, Started, TerminateRequest, Used, WatchSettings,
};
use steadfast_store::{MemoryStore, RunStatus, Store};

use crate::kit::*;

/// Workflow code that stands still, and what the watchdog is told about it.
#[derive(Clone, Default)]
pub(crate) struct Trap {
    pub(crate) inside: Arc<Mutex<BTreeSet<RunId>>>,
    pub(crate) gate: Gate,
    pub(crate) calls: Calls,
}

impl Trap {
    pub(crate) fn fall_in(&self, context: &RunContext) {
        self.inside.lock().unwrap().insert(context.info().run_id);
        self.gate.pass_blocking();
        self.calls.note("came back");
    }

    fn watch(&self) -> WatchSettings {
        let inside = Arc::clone(&self.inside);
        let spins = Used { elapsed: secs(11), cpu: Some(secs(11)) };
        let probe = move |run: RunId| inside.lock().unwrap().contains(&run).then_some(spins);
        WatchSettings { look_every: Duration::from_millis(2), probe: Some(Arc::new(probe)) }
    }

    pub(crate) fn kit(&self) -> Kit {
        let store = new_store();
        self.kit_on(Arc::new(store.clone()), store)
    }

    pub(crate) fn kit_on(&self, on: Arc<dyn Store>, store: MemoryStore) -> Kit {
        let clock = Arc::new(ManualClock::new(at(1_000)));
        let config = EngineConfig { shard_threads: Some(1), watch: self.watch(), ..config(&clock) };
        Kit::open_on(on, store, config, clock)
    }

    /// Falls into the trap at once, and calls an activity should it come back.
    pub(crate) fn at_once(&self) -> Arc<dyn Definition> {
        let trap = self.clone();
        workflow("stuck", move |ctx, input| {
            let trap = trap.clone();
            async move {
                trap.fall_in(&ctx);
                call(&ctx, "late", input).await
            }
        })
    }

    pub(crate) fn late(&self) -> ActivityBody {
        let calls = self.calls.clone();
        body(move |_, input| {
            calls.note("late");
            async move { Ok(input) }
        })
    }
}

/// A body that waits at a gate and returns the number of its attempt.
pub(crate) fn waits(gate: &Gate, calls: &Calls) -> ActivityBody {
    let (gate, calls) = (gate.clone(), calls.clone());
    body(move |ctx, _| {
        let gate = gate.clone();
        calls.note("waits");
        async move {
            gate.pass().await;
            Ok(json(ctx.info().attempt))
        }
    })
}

pub(crate) fn calls_wait() -> Arc<dyn Definition> {
    workflow("other", |ctx, input| async move { call(&ctx, "wait", input).await })
}

pub(crate) fn starts(kit: &Kit, workflow: &str, id: &str) -> JoinHandle<Started> {
    let (client, request) = (kit.client.clone(), Kit::request(workflow, id, json(1)));
    spawn(move || block_on(client.start(request)).unwrap())
}

/// While a shard begins anew it answers nobody.
pub(crate) fn described(kit: &Kit, id: &str) -> Option<RunDescription> {
    block_on(kit.client.describe(&selector(id))).ok()
}

pub(crate) fn wait_until_blocked(kit: &Kit, id: &str) -> RunDescription {
    kit.eventually("it is blocked", |kit| {
        described(kit, id).is_some_and(|run| run.status == RunStatus::Blocked)
    });
    kit.describe(id)
}

pub(crate) fn terminate(kit: &Kit, id: &str) {
    let request = TerminateRequest { run: selector(id), reason: "by hand".into(), request_id: None };
    block_on(kit.client.terminate(request)).unwrap();
}

pub(crate) fn wait_until_given_up(kit: &Kit, threads: usize) {
    kit.eventually("its thread is given up", |kit| kit.engine.health().given_up_threads == threads);
}
