//! Case 11: a history of which something is missing is not replayed; the run says what is missing and goes on once it
//! is there again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use steadfast::prelude::*;
use steadfast::store::{MemoryStore, Store};
use steadfast::{
    EngineClock as _, EngineConfig, EventId, ListFilter, ManualClock, RunStatus, WorkflowHandle,
};
use steadfast_core::Namespace;
use steadfast_store_sled::{Clock, SledOptions, SledStore};
use steadfast_tests::kit::{StoreKind, TestResult, eventually};

use crate::support::{loaded, replay_once};
use crate::torn::{Damage, Torn};

const SHARDS: u16 = 4;
const BEGINNING: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);
const NAP: Duration = Duration::from_secs(3_600);
/// The start, five activities, and the nap.
const EVENTS: u64 = 12;
const LAST: u64 = EVENTS - 1;

/// How often the function was called for each workflow.
static CALLS: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

fn note_call(workflow: &str) {
    *CALLS.lock().unwrap_or_else(PoisonError::into_inner).entry(workflow.to_owned()).or_default() += 1;
}

fn calls(workflow: &str) -> u32 {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).get(workflow).copied().unwrap_or(0)
}

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[workflow]
async fn five(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    note_call(ctx.info().workflow_id.as_str());
    let mut sum = 0;
    for n in 0..5 {
        sum += double(&ctx, n).await?;
    }
    ctx.sleep(NAP).await?;
    Ok(sum)
}

struct Yard {
    torn: Arc<Torn>,
    clock: Arc<ManualClock>,
    engine: Engine,
    _dir: Option<tempfile::TempDir>,
}

impl Yard {
    async fn new(kind: StoreKind) -> TestResult<Self> {
        let clock = Arc::new(ManualClock::new(BEGINNING));
        let namespace = Namespace::new("default")?;
        let (store, dir): (Arc<dyn Store>, _) = match kind {
            StoreKind::Memory => (Arc::new(MemoryStore::new(namespace, SHARDS, clock.now())), None),
            StoreKind::Sled => {
                let dir = tempfile::tempdir()?;
                let mut options = SledOptions::new(dir.path(), namespace);
                options.shard_count = Some(SHARDS);
                let of_test = Arc::clone(&clock);
                options.clock = Clock::from_fn(move || of_test.now());
                (Arc::new(SledStore::open(options)?), Some(dir))
            }
        };
        let torn = Torn::new(store);
        let engine = engine(&torn, &clock).await?;
        Ok(Self { torn, clock, engine, _dir: dir })
    }

    async fn restart(&mut self) -> TestResult {
        self.engine.shutdown().await;
        self.engine = engine(&self.torn, &self.clock).await?;
        Ok(())
    }

    async fn asleep(&self, id: &str) -> TestResult<WorkflowHandle<five>> {
        let run = self.engine.client().start(five, ()).id(id).queue("q").await?;
        eventually("it sleeps", async || Ok(run.describe().await?.timers.len() == 1)).await?;
        ensure!(loaded(&*self.torn, id)?.len() as u64 == EVENTS);
        Ok(run)
    }
}

/// An engine that drops every run from memory as soon as it stands still, so that each input loads its history.
async fn engine(torn: &Arc<Torn>, clock: &Arc<ManualClock>) -> TestResult<Engine> {
    let config =
        EngineConfig { evict_always: true, clock: Some(Arc::clone(clock) as _), ..EngineConfig::default() };
    let engine = Engine::with_store(Arc::clone(torn) as _, config).await?;
    engine.worker("q").workflow(five).activity(double).start().await?;
    Ok(engine)
}

/// Every damage with what is said of it.
fn damages() -> Vec<(Damage, String)> {
    let missing = |id: u64| format!("history incomplete, event {id} missing");
    let first_of_record = |id: u64| id - (id + 1) % 2;
    let mut all = Vec::new();
    for id in 1..=EVENTS {
        all.push((Damage::EventRemoved(EventId(id)), missing(id)));
        all.push((Damage::RecordRemoved(EventId(id)), missing(first_of_record(id))));
        all.push((Damage::TailRemoved(EventId(id)), missing(first_of_record(id))));
        let hash = format!("history damaged: the hash over its {EVENTS} events does not match the head");
        all.push((Damage::Changed(EventId(id)), hash));
    }
    all.push((Damage::Reversed, missing(1)));
    let surplus = format!("history damaged: event {} stands behind the recorded end", EVENTS + 1);
    all.push((Damage::Longer, surplus));
    for id in [1, 5, LAST] {
        let unreadable = format!("the history record from event {id} cannot be read: ");
        all.push((Damage::Garbled(EventId(id)), unreadable));
    }
    all
}

/// The run of a damaged history: blocked, nothing was replayed, appended or run.
async fn check_blocked(run: &WorkflowHandle<five>, id: &str, why: &str, called: u32) -> TestResult {
    eventually("it is blocked", async || Ok(run.describe().await?.status == RunStatus::Blocked)).await?;
    let seen = run.describe().await?;
    let reason = seen.blocked.context("the reason")?;
    ensure!(reason.starts_with(why), "{reason:?} is not {why:?}");
    ensure!(why.ends_with(": ") || reason == why, "{reason:?} is not {why:?}");
    ensure!(seen.attention == [reason.clone()] && seen.mailbox == 1, "{:?}", seen.attention);
    ensure!(seen.last_event == EventId(EVENTS), "something was appended");
    ensure!(calls(id) == called, "the function was called");
    let told = run.history().await.err().context("a history that is not whole is shown")?;
    ensure!(told.to_string() == reason, "{told}");
    Ok(())
}

/// When the damage is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noticed {
    Live,
    AfterARestart,
}

async fn damaged(kind: StoreKind, noticed: Noticed) -> TestResult {
    let mut yard = Yard::new(kind).await?;
    yard.asleep("healthy").await?;
    let mut runs = Vec::new();
    for (number, (damage, why)) in damages().into_iter().enumerate() {
        let id = format!("{kind:?}-{noticed:?}-{number}");
        let run = yard.asleep(&id).await?;
        yard.torn.damage(run.run_id().context("a run id")?, damage);
        runs.push((calls(&id), id, why));
    }
    if noticed == Noticed::AfterARestart {
        yard.restart().await?;
    }
    let client = yard.engine.client();
    yard.clock.advance(NAP);
    assert_eq!(client.handle_of(five, "healthy").result().await?, 20, "the others go on");
    for (called, id, why) in &runs {
        check_blocked(&client.handle_of(five, id), id, why, *called).await?;
    }
    let blocked = ListFilter { statuses: vec![RunStatus::Blocked], ..ListFilter::default() };
    let listed = client.list(blocked, None, 1_000).await?;
    assert_eq!(listed.rows.len(), runs.len(), "all of them are listed as blocked");

    yard.torn.heal();
    yard.clock.advance(Duration::from_secs(60));
    for (_, id, _) in &runs {
        assert_eq!(
            client.handle_of(five, id).result().await?,
            20,
            "it goes on once its history is whole again"
        );
        let events = loaded(&*yard.torn, id)?;
        assert_eq!(events.len() as u64, EVENTS + 2);
        replay_once(steadfast::__private::definition(five), &events)?;
    }
    yard.engine.shutdown().await;
    Ok(())
}

async fn case_11_a_run_with_a_damaged_history_says_what_is_missing_and_is_not_replayed(
    kind: StoreKind,
) -> TestResult {
    damaged(kind, Noticed::Live).await
}

async fn case_11_damage_is_noticed_after_a_restart(kind: StoreKind) -> TestResult {
    damaged(kind, Noticed::AfterARestart).await
}

steadfast_tests::on_stores!(
    case_11_a_run_with_a_damaged_history_says_what_is_missing_and_is_not_replayed,
    case_11_damage_is_noticed_after_a_restart,
);
