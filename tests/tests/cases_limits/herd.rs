//! Case 29: what failed together does not come back together, and what is overdue does not all run at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;
use steadfast::prelude::*;
use steadfast::{ActivityState, RunHandle};
use steadfast_tests::kit::{
    Bed, Door, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult, eventually,
};
use tokio::task::JoinSet;

use crate::support::show;

const RUNS: usize = 1_000;
const SLOTS: usize = 10;
/// How long the service fails for everybody.
const OUTAGE: Duration = Duration::from_secs(60);
/// How far the clock moves on at a time.
const STEP: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
const CAP: f64 = 60.0;

/// Counts its bodies, and has them wait at a door.
struct Desk {
    ledger: Ledger,
    door: Door,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[activity(module = desk)]
impl Desk {
    #[activity(retry(initial_interval = "10s", backoff_coefficient = 2.0, maximum_interval = "60s"))]
    async fn charge(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let charged = self.ledger.act(&ctx, "charge", 1).await;
        self.door.pass().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        charged
    }
}

#[workflow]
async fn pays(ctx: WorkflowContext, nap: Duration) -> Result<(), WorkflowError> {
    if !nap.is_zero() {
        ctx.sleep(nap).await?;
    }
    desk::charge(&ctx).await?;
    Ok(())
}

#[derive(Clone, Default)]
struct Watch {
    door: Door,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

async fn serve(bed: &mut Bed, slots: usize, watch: &Watch) -> TestResult {
    let watch = watch.clone();
    bed.serve(move |worker, ledger| {
        let Watch { door, running, most } = watch.clone();
        worker.workflow(pays).activities(Desk { ledger, door, running, most }).slots(slots)
    })
    .await
}

fn id(number: usize) -> String {
    format!("run {number}")
}

/// Starts all runs side by side; `nap` says how long each sleeps first.
async fn start_all(bed: &Bed, nap: impl Fn(usize) -> Duration) -> TestResult {
    let mut starting = JoinSet::new();
    for number in 0..RUNS {
        let start = bed.client().start(pays, nap(number)).id(id(number)).queue(QUEUE);
        starting.spawn(start.into_future());
    }
    while let Some(started) = starting.join_next().await {
        started??;
    }
    Ok(())
}

/// A wait that a run has before it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wait {
    run: usize,
    /// The attempt that failed.
    attempt: u32,
    from: Timestamp,
    until: Timestamp,
}

async fn wait_of(bed: &Bed, run: usize) -> TestResult<Option<Wait>> {
    let handle: RunHandle = bed.client().handle(id(run));
    let mut found = None;
    eventually("it waits or has ended", async || {
        let seen = handle.describe().await?;
        let Some(open) = seen.activities.first() else { return Ok(seen.closed_at.is_some()) };
        let Some((until, failure)) = open.next_attempt_at.zip(open.last_failure.as_ref()) else {
            return Ok(false);
        };
        found = Some(Wait { run, attempt: open.attempt, from: failure.at, until });
        Ok(open.state == ActivityState::RetryWait && until > bed.now())
    })
    .await?;
    Ok(found.filter(|wait| wait.until > bed.now()))
}

/// The waits of all runs that have not ended.
async fn waits(bed: &Bed) -> TestResult<Vec<Wait>> {
    let mut waits = Vec::new();
    for run in 0..RUNS {
        waits.extend(wait_of(bed, run).await?);
    }
    Ok(waits)
}

/// C2: the band of the documentation.
fn assert_in_band(wait: &Wait) {
    let nominal = (10.0 * 2_f64.powi(i32::try_from(wait.attempt).unwrap_or(i32::MAX) - 1)).min(CAP);
    let delay = wait.until.since(wait.from).as_secs_f64();
    let (low, high) = (nominal * 0.8, (nominal * 1.2).min(CAP));
    assert!((low - 1e-6..=high + 1e-6).contains(&delay), "{wait:?}: {delay} is not in {low}..={high}");
}

/// The most attempts of a wave that fall into any one second.
fn crowd(waits: &[Wait]) -> usize {
    let mut times: Vec<Timestamp> = waits.iter().map(|wait| wait.until).collect();
    times.sort_unstable();
    let in_second =
        |from: usize| times[from..].iter().take_while(|at| **at < times[from].after(SECOND)).count();
    (0..times.len()).map(in_second).max().unwrap_or(0)
}

/// Moves the clock on until every wait is over; those that end while the service is away fail again.
async fn live_through(bed: &Bed, waits: &[Wait], begin: Timestamp) -> TestResult {
    let mut called = bed.ledger().calls_of("charge").len();
    let last = waits.iter().map(|wait| wait.until).max().context("somebody waits")?;
    while bed.now() < last {
        let (from, to) = (bed.now(), bed.now().after(STEP));
        let due = waits.iter().filter(|wait| wait.until > from && wait.until <= to).count();
        if to.since(begin) < OUTAGE {
            bed.ledger().script("charge", std::iter::repeat_n(Reply::LoseRequest, due));
        }
        bed.advance_to(to);
        called += due;
        bed.ledger().until_called("charge", called).await?;
    }
    assert_eq!(bed.ledger().calls_of("charge").len(), called, "nobody came without being due");
    Ok(())
}

async fn case_29_what_failed_together_comes_back_spread_out(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    let watch = Watch::default();
    watch.door.open();
    serve(&mut bed, RUNS, &watch).await?;
    let begin = bed.now();
    bed.ledger().script("charge", std::iter::repeat_n(Reply::LoseRequest, RUNS));
    start_all(&bed, |_| Duration::ZERO).await?;
    bed.ledger().until_called("charge", RUNS).await?;
    let mut crowds = Vec::new();
    loop {
        let wave = waits(&bed).await?;
        if wave.is_empty() {
            break;
        }
        wave.iter().for_each(assert_in_band);
        crowds.push((wave.len(), crowd(&wave)));
        if crowds.len() == 2 {
            // The waits are recorded: nothing is drawn anew.
            bed.kill_and_restart().await?;
            assert!(waits(&bed).await? == wave, "the waits are others after a restart");
        }
        live_through(&bed, &wave, begin).await?;
    }
    show(format_args!("{kind:?}: (size, most in a second) of each wave: {crowds:?}"));
    assert_eq!(crowds.first().map(|(size, _)| *size), Some(RUNS));
    for (number, (size, most)) in crowds.into_iter().enumerate() {
        let limit = if number == 0 { RUNS * 60 / 100 } else { RUNS * 35 / 100 };
        assert!(most <= limit, "wave {number} of {size}: {most} within a second");
    }
    assert_eq!(bed.ledger().balance(), i64::try_from(RUNS)?);
    for run in 0..RUNS {
        bed.handle(pays, &id(run)).result().await?;
        bed.check_closed(pays, &id(run)).await?;
    }
    Ok(())
}

async fn case_29_a_thousand_overdue_timers_run_ten_at_a_time(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    let first = Watch::default();
    first.door.open();
    serve(&mut bed, RUNS, &first).await?;
    // Every other one sleeps; the others wait for their second attempt.
    bed.ledger().script("charge", std::iter::repeat_n(Reply::LoseRequest, RUNS / 2));
    start_all(&bed, |number| if number % 2 == 0 { minutes(5) } else { Duration::ZERO }).await?;
    for run in (1..RUNS).step_by(2) {
        wait_of(&bed, run).await?.context("it waits")?;
    }
    bed.kill();
    bed.forget_workers();
    bed.advance(hours(1));
    bed.reopen().await?;
    let watch = Watch::default();
    serve(&mut bed, SLOTS, &watch).await?;
    bed.ledger().until_called("charge", RUNS / 2 + SLOTS).await?;
    // All of them are due, and everything that could begin has begun.
    for run in 0..RUNS {
        let what = "its activity is ready";
        bed.until_described(&id(run), what, |run| {
            let open = run.activities.first();
            open.is_some_and(|open| matches!(open.state, ActivityState::Pending | ActivityState::Running))
        })
        .await?;
    }
    assert_eq!((bed.engine().slots_in_use(), watch.running.load(Ordering::SeqCst)), (SLOTS, SLOTS));
    assert_eq!(bed.ledger().calls_of("charge").len(), RUNS / 2 + SLOTS);
    watch.door.open();
    for run in 0..RUNS {
        bed.handle(pays, &id(run)).result().await?;
    }
    assert_eq!(watch.most.load(Ordering::SeqCst), SLOTS, "never more than that at once");
    assert_eq!(bed.ledger().balance(), i64::try_from(RUNS)?, "each one once");
    for run in 0..RUNS {
        bed.check_closed(pays, &id(run)).await?;
    }
    Ok(())
}

steadfast_tests::on_stores!(
    case_29_what_failed_together_comes_back_spread_out,
    case_29_a_thousand_overdue_timers_run_ten_at_a_time,
);
