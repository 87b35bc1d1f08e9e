//! Case 25: the wait between attempts neither overflows nor grows beyond its cap, however many attempts there are.

use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{RunStatus, StepError};
use steadfast_core::INTERVAL_MAX;
use steadfast_tests::kit::{Bed, Ledger, Reply, ServiceError, StoreKind, TestResult};

use crate::support::{next_attempt, until_it_waits};

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(compensate = unask)]
    async fn ask(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "ask", 1).await
    }

    #[activity]
    async fn unask(&self, ctx: ActivityContext, step: UndoOf<desk::ask>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "unask", &step.idempotency_key).await
    }
}

/// A curve without jitter.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Curve {
    factor: f64,
    cap: Duration,
}

const FIRST: Duration = Duration::from_secs(1);
const DOUBLING: Curve = Curve { factor: 2.0, cap: Duration::from_secs(60) };

impl Curve {
    fn policy(self) -> RetryPolicy {
        let policy = RetryPolicy::exponential(FIRST).backoff_coefficient(self.factor);
        policy.maximum_interval(self.cap).jitter(0.0).maximum_attempts(0)
    }

    /// The wait after an attempt, in seconds, at most the cap and at most the documented maximum.
    fn seconds(self, attempt: i32) -> f64 {
        self.factor.powi(attempt - 1).min(self.cap.as_secs_f64()).min(INTERVAL_MAX.as_secs_f64())
    }
}

#[workflow]
async fn asks(ctx: WorkflowContext, curve: Curve) -> Result<u64, WorkflowError> {
    Ok(desk::ask(&ctx).retry(curve.policy()).await?)
}

/// The same with the library's own failing step.
#[workflow]
async fn steps(ctx: WorkflowContext, curve: Curve, attempts: u32) -> Result<bool, WorkflowError> {
    let policy = curve.policy().maximum_attempts(attempts);
    let step = ctx.step("ask", async || Err::<(), _>(AnyFailure::retryable("busy")));
    Ok(matches!(step.retry(policy).await, Err(StepError::Exhausted { .. })))
}

/// Builds a policy that cannot be meant.
#[workflow]
async fn mistaken(ctx: WorkflowContext, initial: Duration, factor: f64) -> Result<u64, WorkflowError> {
    let policy = RetryPolicy::exponential(initial).backoff_coefficient(factor);
    Ok(desk::ask(&ctx).retry(policy).await?)
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(asks).workflow(steps).workflow(mistaken).activities(Desk(ledger))
    })
    .await?;
    Ok(bed)
}

/// Goes through `failures` failing attempts; the engine is killed after some of them.
async fn follow(bed: &mut Bed, id: &str, curve: Curve, failures: i32, kills: &[i32]) -> TestResult {
    for attempt in 1..=failures {
        if kills.contains(&attempt) {
            until_it_waits(bed, id, "ask").await?;
            bed.kill_and_restart().await?;
        }
        let wait = next_attempt(bed, id, "ask").await?;
        let off = wait.as_secs_f64() - curve.seconds(attempt);
        // Times are recorded in microseconds.
        assert!(off.abs() <= 2e-6, "{curve:?}, after attempt {attempt}: {wait:?}");
        assert!(wait > Duration::ZERO && wait <= curve.cap && wait <= INTERVAL_MAX, "{wait:?}");
    }
    Ok(())
}

/// Each attempt begins when the one before has waited, and the last one succeeds.
async fn check(bed: &Bed, id: &str, attempts: usize) -> TestResult {
    assert_eq!(bed.handle(asks, id).result().await?, 0);
    let calls = bed.ledger().calls_of("ask");
    let numbers: Vec<usize> = calls.iter().map(|call| call.attempt as usize).collect();
    assert_eq!(numbers, (1..=attempts).collect::<Vec<_>>(), "each attempt called once");
    let events = bed.check_closed(asks, id).await?;
    let Some(EventKind::ActivityCompleted(completed)) = events.get(2).map(|event| &event.kind) else {
        anyhow::bail!("{events:#?}");
    };
    let newest: Vec<Timestamp> = calls.iter().rev().take(100).rev().map(|call| call.at).collect();
    assert_eq!(completed.attempts.attempt as usize, attempts);
    assert_eq!(completed.attempts.begun, newest, "the newest hundred beginnings");
    assert_eq!(completed.attempts.failures.len(), 10, "the newest ten failures");
    Ok(())
}

async fn case_25_the_wait_is_capped_through_two_hundred_attempts(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.ledger().script("ask", std::iter::repeat_n(Reply::Refuse, 200));
    bed.start(asks, "a", DOUBLING).await?;
    follow(&mut bed, "a", DOUBLING, 200, &[7, 64, 65, 150]).await?;
    check(&bed, "a", 201).await?;
    let calls = bed.ledger().calls_of("ask");
    let (first, last) = (calls.first().map(|call| call.at), calls.get(199).map(|call| call.at));
    assert_eq!(last.zip(first).map(|(last, first)| last.since(first)), Some(secs(11_643)));
    Ok(())
}

async fn case_25_other_factors_neither_overflow_nor_stand_still(kind: StoreKind) -> TestResult {
    let cap = Duration::from_secs(60);
    for (curve, failures) in [
        (Curve { factor: 1.0, cap }, 70),
        (Curve { factor: 1.5, cap }, 70),
        (Curve { factor: 1e6, cap }, 70),
        (Curve { factor: 1e6, cap: Duration::MAX }, 70),
        (Curve { factor: 2.0, cap: INTERVAL_MAX }, 70),
        (Curve { factor: f64::MAX, cap: Duration::MAX }, 10),
    ] {
        let mut bed = bed(kind).await?;
        bed.ledger().script("ask", std::iter::repeat_n(Reply::Refuse, usize::try_from(failures)?));
        bed.start(asks, "a", curve).await?;
        follow(&mut bed, "a", curve, failures, &[]).await?;
        check(&bed, "a", usize::try_from(failures)? + 1).await?;
    }
    Ok(())
}

async fn case_25_a_step_waits_by_the_same_curve(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.start(steps, "s", (DOUBLING, 80)).await?;
    follow(&mut bed, "s", DOUBLING, 79, &[40]).await?;
    assert!(bed.handle(steps, "s").result().await?);
    bed.check_closed(steps, "s").await?;
    Ok(())
}

async fn case_25_a_policy_that_cannot_be_meant_is_refused_when_it_is_built(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let zero = "the initial interval of a retry policy is zero; use at least 1 ns";
    let shrinks = "the backoff coefficient of a retry policy is below 1; use 1 or more";
    for (id, initial, factor, why) in [("zero", Duration::ZERO, 2.0, zero), ("shrinks", FIRST, 0.99, shrinks)]
    {
        let run = bed.start(mistaken, id, (initial, factor)).await?;
        let seen = run.describe().await?;
        assert_eq!((seen.status, seen.last_event.0), (RunStatus::Blocked, 0), "nothing is recorded");
        assert_eq!(seen.blocked, Some(format!("the workflow panicked: {why}")));
        run.terminate("it is mistaken").await?;
    }
    Ok(())
}

#[test]
fn case_25_every_policy_that_cannot_be_meant_is_refused() {
    let refused = |build: fn() -> RetryPolicy| {
        let panic = std::panic::catch_unwind(build).err()?;
        panic.downcast_ref::<String>().cloned()
    };
    let text = |text: &str| Some(text.to_owned());
    let zero = text("the initial interval of a retry policy is zero; use at least 1 ns");
    assert_eq!(refused(|| RetryPolicy::exponential(Duration::ZERO)), zero);
    assert_eq!(refused(|| RetryPolicy::once().initial_interval(Duration::ZERO)), zero);
    let capped = text("the maximum interval of a retry policy is zero; use at least 1 ns");
    assert_eq!(refused(|| RetryPolicy::fixed(Duration::ZERO)), capped);
    assert_eq!(refused(|| RetryPolicy::once().maximum_interval(Duration::ZERO)), capped);
    let factor = text("the backoff coefficient of a retry policy is below 1; use 1 or more");
    assert_eq!(refused(|| RetryPolicy::once().backoff_coefficient(0.999)), factor);
    assert_eq!(refused(|| RetryPolicy::once().backoff_coefficient(-2.0)), factor);
    assert_eq!(refused(|| RetryPolicy::once().backoff_coefficient(f64::NAN)), factor);
    assert_eq!(refused(|| RetryPolicy::once().backoff_coefficient(f64::INFINITY)), factor);
    let jitter = text("the jitter of a retry policy is not from 0 to 1");
    assert_eq!(refused(|| RetryPolicy::once().jitter(1.01)), jitter);
    assert_eq!(refused(|| RetryPolicy::once().jitter(f64::NAN)), jitter);
}

steadfast_tests::on_stores!(
    case_25_the_wait_is_capped_through_two_hundred_attempts,
    case_25_other_factors_neither_overflow_nor_stand_still,
    case_25_a_step_waits_by_the_same_curve,
    case_25_a_policy_that_cannot_be_meant_is_refused_when_it_is_built,
);
