//! Case 38 between two processes: the wall clock is set while nobody has the store open. The engine's own clock runs
//! here, as in production, so these tests take a moment of real time.
//!
//! A store that only one process holds has no clock but that process's. What was chosen: engine time goes on from the
//! wall clock, and never from before the last time that was stored. So after a step forward what is due by the wall
//! clock is due; after a step back a wait takes no longer than it had left when the last record was written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::ensure;
use steadfast::history::Event;
use steadfast::prelude::*;
use steadfast::store::{MemoryStore, Sessions as _, Store};
use steadfast::{EngineConfig, Timestamp};
use steadfast_core::Namespace;
use steadfast_store_sled::{Clock, SledOptions, SledStore};
use steadfast_tests::kit::{QUEUE, StoreKind, TestResult, story};
use tempfile::TempDir;

const BEGINNING: u64 = 1_700_000_000_000_000;
const HOUR: u64 = 3_600_000_000;
const NAMESPACE: &str = "default";

#[workflow]
async fn nap(ctx: WorkflowContext, millis: u64) -> Result<(Timestamp, Timestamp), WorkflowError> {
    let began = ctx.now();
    ctx.sleep(steadfast::millis(millis)).await?;
    Ok((began, ctx.now()))
}

/// A machine whose wall clock is set while no process runs on it.
struct Machine {
    wall: Arc<AtomicU64>,
    memory: Option<MemoryStore>,
    dir: TempDir,
}

impl Machine {
    fn new(kind: StoreKind) -> TestResult<Self> {
        let now = Timestamp::from_micros(BEGINNING);
        let memory = match kind {
            StoreKind::Memory => Some(MemoryStore::new(Namespace::new(NAMESPACE)?, 4, now)),
            StoreKind::Sled => None,
        };
        Ok(Self { wall: Arc::new(AtomicU64::new(BEGINNING)), memory, dir: tempfile::tempdir()? })
    }

    /// A process begins, and asks the wall clock once: that stands still here, so that it is the engine's clock that
    /// goes on.
    async fn boot(&self) -> TestResult<Engine> {
        let wall = Arc::clone(&self.wall);
        let store: Arc<dyn Store> = match &self.memory {
            Some(memory) => {
                memory.set_now(Timestamp::from_micros(wall.load(Ordering::SeqCst)));
                for session in memory.sessions()? {
                    memory.end_session(session.id)?;
                }
                Arc::new(memory.clone())
            }
            None => {
                let mut options = SledOptions::new(self.dir.path(), Namespace::new(NAMESPACE)?);
                options.shard_count = Some(4);
                options.clock = Clock::from_fn(move || Timestamp::from_micros(wall.load(Ordering::SeqCst)));
                Arc::new(SledStore::open(options)?)
            }
        };
        let engine = Engine::with_store(store, EngineConfig::default()).await?;
        engine.worker(QUEUE).workflow(nap).start().await?;
        Ok(engine)
    }
}

async fn start(engine: &Engine, id: &str, millis: u64) -> TestResult {
    engine.client().start(nap, millis).id(id).queue(QUEUE).await?;
    Ok(())
}

/// What holds of the history of a nap that has ended, whatever the clock did.
async fn check(engine: &Engine, id: &str) -> TestResult<Vec<Event>> {
    let (began, ended) = engine.client().handle_of(nap, id).result().await?;
    ensure!(began < ended, "{id}: the code saw {began}, then {ended}");
    let events = engine.client().handle(id).history().await?;
    assert_eq!(story(&events), ["WorkflowStarted", "TimerStarted", "TimerFired", "WorkflowCompleted"]);
    ensure!(events.is_sorted_by_key(|event| event.at), "{id}: {events:?}");
    Ok(events)
}

async fn case_38_set_back_while_closed_a_timer_waits_no_longer_than_it_had_left(
    kind: StoreKind,
) -> TestResult {
    let machine = Machine::new(kind)?;
    let engine = machine.boot().await?;
    start(&engine, "short", 400).await?;
    start(&engine, "long", HOUR / 1_000).await?;
    let due = engine.client().handle("long").describe().await?.timers[0].due;
    let last = engine.client().handle("long").history().await?[1].at;
    drop(engine);
    machine.wall.fetch_sub(HOUR, Ordering::SeqCst);
    let engine = machine.boot().await?;
    // It would take an hour more if it waited for the wall clock: the case would not end.
    check(&engine, "short").await?;
    start(&engine, "new", 1).await?;
    let events = check(&engine, "new").await?;
    ensure!(events[0].at >= last, "a run that began later is older");
    let long = engine.client().handle("long").describe().await?;
    assert_eq!(long.timers[0].due, due, "the due time is shown as it was");
    ensure!(long.status.is_open(), "the long one ended too early");
    Ok(())
}

async fn case_38_set_forward_while_closed_what_is_due_by_the_clock_is_due(kind: StoreKind) -> TestResult {
    let machine = Machine::new(kind)?;
    let engine = machine.boot().await?;
    start(&engine, "hour", HOUR / 1_000).await?;
    start(&engine, "day", 24 * HOUR / 1_000).await?;
    drop(engine);
    machine.wall.fetch_add(2 * HOUR, Ordering::SeqCst);
    let engine = machine.boot().await?;
    let events = check(&engine, "hour").await?;
    ensure!(events[2].at.as_micros() >= BEGINNING + 2 * HOUR, "it fired at {}", events[2].at);
    ensure!(engine.client().handle("day").describe().await?.status.is_open());
    Ok(())
}

/// Forward and back again: nothing ends twice, nothing is older than what was there before it.
async fn case_38_time_never_goes_back_over_any_number_of_openings(kind: StoreKind) -> TestResult {
    let machine = Machine::new(kind)?;
    let mut newest = Timestamp::ZERO;
    for (round, wall) in
        [BEGINNING, BEGINNING + HOUR, 0, BEGINNING - HOUR, BEGINNING + 2 * HOUR, 1].into_iter().enumerate()
    {
        machine.wall.store(wall, Ordering::SeqCst);
        let engine = machine.boot().await?;
        let id = format!("round {round}");
        start(&engine, &id, 1).await?;
        let events = check(&engine, &id).await?;
        ensure!(events[0].at >= newest, "round {round}: {} after {newest}", events[0].at);
        newest = events[3].at;
    }
    let engine = machine.boot().await?;
    assert_eq!(engine.client().list(steadfast::ListFilter::default(), None, 100).await?.rows.len(), 6);
    Ok(())
}

steadfast_tests::on_stores!(
    case_38_set_back_while_closed_a_timer_waits_no_longer_than_it_had_left,
    case_38_set_forward_while_closed_what_is_due_by_the_clock_is_due,
    case_38_time_never_goes_back_over_any_number_of_openings,
);
