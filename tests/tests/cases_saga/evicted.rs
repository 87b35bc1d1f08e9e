//! Case 20: a run that leaves memory runs its destructors, and they issue nothing.
//!
//! There are no signals yet: where the case has one, these runs wait for a timer.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

use steadfast::prelude::*;
use steadfast::{EngineConfig, WorkflowId};
use steadfast_tests::kit::{Bed, Ledger, ServiceError, StoreKind, TestResult, eventually, story};

const ROUNDS: usize = 10;

struct Tools(Ledger);

#[activity(module = tools)]
impl Tools {
    #[activity]
    async fn cleanup(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "cleanup", 1).await
    }
}

/// How many guards were made, and how many of them were dropped, by the names of the tests.
static GUARDS: Mutex<BTreeMap<String, (usize, usize)>> = Mutex::new(BTreeMap::new());

fn guards(test: &str) -> (usize, usize) {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner).get(test).copied().unwrap_or_default()
}

fn count(test: &str, count: impl FnOnce(&mut (usize, usize))) {
    count(GUARDS.lock().unwrap_or_else(PoisonError::into_inner).entry(test.to_owned()).or_default());
}

type Cleanup = Rc<RefCell<Option<ActivityCall<tools::cleanup>>>>;

/// Asks for a clean-up when it is dropped, and for all else that a context has.
struct Guard {
    ctx: WorkflowContext,
    test: String,
    /// The call goes on here, for whoever wants to await it.
    call: Cleanup,
    panics: bool,
}

impl Guard {
    fn new(ctx: &WorkflowContext, test: &str, panics: bool) -> Self {
        count(test, |(made, _)| *made += 1);
        Self { ctx: ctx.clone(), test: test.to_owned(), call: Rc::default(), panics }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        count(&self.test, |(_, dropped)| *dropped += 1);
        tracing::info!(now = %self.ctx.now(), "the guard is dropped");
        let mut call = tools::cleanup(&self.ctx);
        // A call is scheduled by its first poll.
        if Pin::new(&mut call).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            *self.call.borrow_mut() = Some(call);
        }
        assert!(!self.panics, "a destructor that panics");
    }
}

/// Waits again and again with a guard, drops the guard, and awaits what its destructor asked for.
#[workflow]
async fn guarded(ctx: WorkflowContext, test: String, rounds: usize) -> Result<(), WorkflowError> {
    let guard = Guard::new(&ctx, &test, false);
    let call = Rc::clone(&guard.call);
    for _ in 0..rounds {
        ctx.sleep(hours(1)).await?;
    }
    drop(guard);
    let call = call.borrow_mut().take();
    if let Some(call) = call {
        call.await?;
    }
    Ok(())
}

/// Never drops its guard itself; its destructor panics.
#[workflow]
async fn panicking(ctx: WorkflowContext, test: String) -> Result<(), WorkflowError> {
    let _guard = Guard::new(&ctx, &test, true);
    ctx.sleep(days(1_000)).await?;
    Ok(())
}

/// Its guard is dropped as the function returns.
#[workflow]
async fn leaving(ctx: WorkflowContext, test: String) -> Result<(), WorkflowError> {
    let _guard = Guard::new(&ctx, &test, false);
    ctx.sleep(hours(1)).await?;
    Ok(())
}

/// Takes the place of another run in memory.
#[workflow]
async fn other(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(ctx.sleep(days(1_000)).await?)
}

/// A bed that keeps one run in memory, and says how often one left it.
async fn bed(kind: StoreKind) -> TestResult<(Bed, Arc<Mutex<usize>>)> {
    let evicted = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&evicted);
    let mut bed = Bed::with(kind, move |config| {
        let counter = Arc::clone(&counter);
        let count = move |point: &'static str| {
            if point == "evicted" {
                *counter.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            }
        };
        EngineConfig { cached_runs: 1, fail_points: Some(Arc::new(count)), ..config }
    })
    .await?;
    bed.serve(|worker, ledger| {
        let worker = worker.workflow(guarded).workflow(panicking).workflow(leaving).workflow(other);
        worker.activities(Tools(ledger))
    })
    .await?;
    Ok((bed, evicted))
}

/// Ids whose runs lie in the shard of `first`, so that they take its place in memory.
fn neighbours(bed: &Bed, first: &str) -> TestResult<Vec<String>> {
    let shards = bed.gate().store().map_or(1, |store| store.shard_count());
    let shard = WorkflowId::new(first)?.shard(shards);
    let ids = (0..).map(|number| format!("other-{number}"));
    let ids = ids.filter(|id| WorkflowId::new(id).is_ok_and(|id| id.shard(shards) == shard));
    Ok(ids.take(ROUNDS).collect())
}

async fn until_all_dropped(test: &str) -> TestResult {
    eventually("no run with a guard is in memory", async || {
        let (made, dropped) = guards(test);
        Ok(made == dropped)
    })
    .await
}

async fn case_20_a_destructor_that_runs_at_an_eviction_issues_nothing(kind: StoreKind) -> TestResult {
    let test = format!("evicted {kind:?}");
    let (bed, evicted) = bed(kind).await?;
    let run = bed.start(guarded, "w", (test.clone(), ROUNDS)).await?;
    let mut expected = vec!["WorkflowStarted", "TimerStarted"];
    for id in neighbours(&bed, "w")? {
        // The guarded run has just been activated; the other one takes its place.
        bed.start(other, &id, ()).await?;
        until_all_dropped(&test).await?;
        // C1.
        assert_eq!(story(&bed.history("w").await?), expected);
        assert_eq!(bed.ledger().calls(), []);
        // C2.
        assert_eq!(story(&bed.history(&id).await?), ["WorkflowStarted", "TimerStarted"]);
        bed.skip_timer("w").await?;
        expected.extend(["TimerFired", "TimerStarted"]);
        let fired = expected.len() / 2;
        bed.until_described("w", "the timer has fired", |run| run.last_event.0 >= fired as u64 * 2 - 1)
            .await?;
    }
    // C3: dropped by the code itself, the guard's call is a call like any other.
    run.result().await?;
    expected.truncate(expected.len() - 1);
    expected.extend(["ActivityScheduled(cleanup)", "ActivityCompleted(cleanup)", "WorkflowCompleted"]);
    assert_eq!(story(&bed.check_closed(guarded, "w").await?), expected);
    assert_eq!(bed.ledger().calls_of("cleanup").len(), 1);
    // C4: each life of the run in memory is freed.
    until_all_dropped(&test).await?;
    assert!(guards(&test).0 > ROUNDS, "it was loaded only {} times", guards(&test).0);
    assert!(*evicted.lock().unwrap_or_else(PoisonError::into_inner) >= ROUNDS);
    Ok(())
}

async fn case_20_a_destructor_that_panics_at_an_eviction_harms_nobody(kind: StoreKind) -> TestResult {
    let test = format!("panicking {kind:?}");
    let (bed, _) = bed(kind).await?;
    bed.start(panicking, "w", test.clone()).await?;
    for id in neighbours(&bed, "w")? {
        let run = bed.start(other, &id, ()).await?;
        until_all_dropped(&test).await?;
        assert_eq!(run.describe().await?.blocked, None);
    }
    let run = bed.client().handle("w").describe().await?;
    assert_eq!((run.blocked, run.last_event.0), (None, 2));
    assert_eq!(bed.ledger().calls(), []);
    Ok(())
}

/// The rule for a call that a destructor issues in running code: it is recorded, and since nobody awaits it, it is
/// cancelled when the call is dropped. It never begins.
async fn case_20_a_call_of_a_destructor_that_nobody_awaits_is_recorded_and_cancelled(
    kind: StoreKind,
) -> TestResult {
    let test = format!("leaving {kind:?}");
    let (bed, _) = bed(kind).await?;
    let run = bed.start(leaving, "w", test.clone()).await?;
    bed.skip_timer("w").await?;
    run.result().await?;
    assert_eq!(
        story(&bed.check_closed(leaving, "w").await?),
        [
            "WorkflowStarted",
            "TimerStarted",
            "TimerFired",
            "ActivityScheduled(cleanup)",
            "ActivityCancelRequested(cleanup)",
            "WorkflowCompleted",
        ]
    );
    assert_eq!(bed.ledger().calls(), []);
    until_all_dropped(&test).await
}

steadfast_tests::on_stores!(
    case_20_a_destructor_that_runs_at_an_eviction_issues_nothing,
    case_20_a_destructor_that_panics_at_an_eviction_harms_nobody,
    case_20_a_call_of_a_destructor_that_nobody_awaits_is_recorded_and_cancelled,
);
