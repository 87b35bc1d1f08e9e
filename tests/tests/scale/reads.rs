//! A live run is not read from the store, however long its history is.

use std::sync::{Arc, Mutex, PoisonError};

use steadfast::EngineConfig;
use steadfast::prelude::*;
use steadfast::store::MemoryStore;
use steadfast::store::faults::{CallKind, FaultPlan, FaultStore};
use steadfast_core::Namespace;
use steadfast_tests::kit::TestResult;

const ACTIVITIES: u64 = 2_000;

type Counted = FaultStore<MemoryStore>;
/// How many calls of each kind there were.
type Calls = Vec<(CallKind, u64)>;

/// Notes the calls of the store at each of its attempts.
struct Desk {
    store: Counted,
    seen: Arc<Mutex<Vec<Calls>>>,
}

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn step(&self, number: u64) -> Result<u64, AnyFailure> {
        // The session keeper has a rhythm of its own.
        let of_runs = CallKind::ALL.iter().copied().filter(|kind| *kind != CallKind::RenewSession);
        let calls = of_runs.map(|kind| (kind, self.store.calls(kind))).collect();
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(calls);
        Ok(number)
    }
}

#[workflow]
async fn line(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..ACTIVITIES {
        sum += desk::step(&ctx, number).await?;
    }
    Ok(sum)
}

/// The calls between two attempts.
fn between(before: &[(CallKind, u64)], after: &[(CallKind, u64)]) -> Calls {
    let calls = before.iter().zip(after).map(|((kind, before), (_, after))| (*kind, after - before));
    calls.filter(|(_, calls)| *calls > 0).collect()
}

#[tokio::test]
async fn each_activity_of_a_live_run_is_one_call_of_the_store() -> TestResult {
    // One shard: another one might still look for what it has to recover while the run goes on.
    let store = MemoryStore::new(Namespace::new("default")?, 1, Timestamp::ZERO);
    let store = FaultStore::new(store, FaultPlan::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let config = EngineConfig { evict_always: false, ..EngineConfig::default() };
    let engine = Engine::with_store(Arc::new(store.clone()), config).await?;
    let desk = Desk { store, seen: Arc::clone(&seen) };
    engine.worker("q").workflow(line).activities(desk).start().await?;
    assert_eq!(engine.client().start(line, ()).id("l").queue("q").await?.result().await?, 1_999_000);
    engine.shutdown().await;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    for (number, pair) in seen.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        assert_eq!(between(before, after), [(CallKind::Commit, 1)], "after activity {number}");
    }
    Ok(())
}
