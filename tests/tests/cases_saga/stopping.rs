//! Case 22: an engine that is shut down loses no result that was there, and hands back what was not.
//!
//! What the case does to a process is done to an engine here. Shutdown measures real time, so these tests do too, at a
//! tenth of the case's times.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{RunError, StartError, Unavailable};
use steadfast_tests::kit::{
    Bed, Door, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult, story, story_without_markers,
};

use crate::shop::{self, tour};

const GRACE: Duration = Duration::from_secs(1);
const SLOW: Duration = Duration::from_millis(200);
/// What the engine takes beyond the grace at most.
const BEYOND: Duration = Duration::from_secs(3);

/// When bodies ended that were told to stop.
type Stopped = Arc<Mutex<Option<Instant>>>;

struct Noted(Stopped);

impl Drop for Noted {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

struct Works {
    ledger: Ledger,
    stopped: Stopped,
    /// Where the short one waits after its heartbeat.
    beaten: Door,
}

#[activity(module = works)]
impl Works {
    #[activity(heartbeat = "60s")]
    async fn short(&self, ctx: ActivityContext) -> Result<u32, ServiceError> {
        self.ledger.act(&ctx, "short", 1).await?;
        assert_eq!(ctx.heartbeat("done"), Ok(()));
        self.beaten.pass().await;
        Ok(ctx.attempt())
    }

    #[activity(start_to_close = "60s", retry(maximum_attempts = 1))]
    async fn long(&self, ctx: ActivityContext) -> Result<u32, ServiceError> {
        let _noted = (ctx.attempt() == 1).then(|| Noted(Arc::clone(&self.stopped)));
        self.ledger.act(&ctx, "long", 1).await?;
        Ok(ctx.attempt())
    }

    #[activity]
    async fn queued(&self, ctx: ActivityContext) -> Result<u32, ServiceError> {
        self.ledger.act(&ctx, "queued", 1).await?;
        Ok(ctx.attempt())
    }
}

#[workflow]
async fn work(ctx: WorkflowContext, which: String) -> Result<u32, WorkflowError> {
    Ok(match which.as_str() {
        "short" => works::short(&ctx).await?,
        "long" => works::long(&ctx).await?,
        _ => works::queued(&ctx).await?,
    })
}

/// A bed with two slots: one for an activity that is about to end, one for an activity that is not.
struct Busy {
    bed: Bed,
    /// Where the service keeps the short one.
    answer: Door,
    /// Where the short one waits after its heartbeat.
    beaten: Door,
    /// When the long one was told to stop.
    stopped: Stopped,
}

async fn busy(kind: StoreKind) -> TestResult<Busy> {
    let mut bed = Bed::new(kind).await?;
    let (answer, beaten, stopped) = (Door::new(), Door::new(), Stopped::default());
    let (told, after) = (Arc::clone(&stopped), beaten.clone());
    bed.serve(move |worker, ledger| {
        let works = Works { ledger, stopped: Arc::clone(&told), beaten: after.clone() };
        worker.workflow(work).activities(works).slots(2)
    })
    .await?;
    bed.ledger().script("short", [Reply::StallAfter(answer.clone())]);
    bed.ledger().script("long", [Reply::StallAfter(Door::new())]);
    for which in ["short", "long"] {
        bed.start(work, which, which.to_owned()).await?;
        bed.ledger().until_effect(which, 1).await?;
    }
    bed.start(work, "queued", "queued".to_owned()).await?;
    Ok(Busy { bed, answer, beaten, stopped })
}

async fn case_22_a_result_that_is_there_at_the_shutdown_is_kept_and_the_rest_is_handed_back(
    kind: StoreKind,
) -> TestResult {
    let Busy { mut bed, answer, beaten, stopped } = busy(kind).await?;
    let gate = Arc::clone(bed.gate());
    gate.delay(SLOW);
    let commits = gate.begun();
    answer.open();
    // The heartbeat is on its way to the store.
    gate.until_begun(commits + 1).await?;
    let began = Instant::now();
    beaten.open();
    bed.shutdown(GRACE).await;
    // C3, but for the exit code.
    assert!(began.elapsed() < GRACE + BEYOND, "it took {:?}", began.elapsed());
    assert_eq!(bed.ledger().calls_of("queued"), [], "nothing is begun once it stops");
    // C1.
    assert!(gate.commits().iter().any(|commit| commit.has("ActivityCompleted(short)")));
    // C2: told to stop at the end of the grace, and not before.
    let told = *stopped.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(told.is_some_and(|at| at.duration_since(began) >= GRACE), "{told:?} {began:?}");

    // The next engine: no time passes, though the attempt had 60 s, and the policy allows one.
    bed.reopen().await?;
    for (which, attempts) in [("short", 1), ("long", 2), ("queued", 1)] {
        assert_eq!(bed.handle(work, which).result().await?, attempts, "{which}");
        let events = bed.check_closed(work, which).await?;
        let expected = ["ActivityScheduled", "ActivityCompleted"].map(|kind| format!("{kind}({which})"));
        assert_eq!(story(&events)[1..3], expected);
        let EventKind::ActivityCompleted(completed) = &events[2].kind else { panic!("{events:?}") };
        assert_eq!(completed.attempts.attempt, attempts);
    }
    let lives =
        |operation: &str| bed.ledger().calls_of(operation).iter().map(|call| call.life).collect::<Vec<_>>();
    assert_eq!((lives("short"), lives("long"), lives("queued")), (vec![1], vec![1, 2], vec![2]));
    assert_eq!(bed.ledger().balance(), 3);
    Ok(())
}

async fn case_22_a_result_whose_commit_is_held_up_is_waited_for(kind: StoreKind) -> TestResult {
    let Busy { mut bed, answer, beaten, .. } = busy(kind).await?;
    let gate = Arc::clone(bed.gate());
    gate.hold();
    beaten.open();
    let commits = gate.begun();
    answer.open();
    // The result is on its way to the store.
    gate.until_begun(commits + 1).await?;
    let releases = async {
        tokio::time::sleep(SLOW).await;
        gate.release();
    };
    tokio::join!(bed.shutdown(Duration::ZERO), releases);
    assert!(gate.commits().iter().any(|commit| commit.has("ActivityCompleted(short)")));
    bed.reopen().await?;
    assert_eq!(bed.handle(work, "short").result().await?, 1);
    assert_eq!(bed.handle(work, "long").result().await?, 2);
    Ok(())
}

async fn case_22_a_start_that_was_acknowledged_is_there_and_a_later_one_is_refused(
    kind: StoreKind,
) -> TestResult {
    let Busy { mut bed, answer, beaten, .. } = busy(kind).await?;
    beaten.open();
    answer.open();
    let client = bed.client();
    bed.start(work, "new", "queued".to_owned()).await?;
    bed.shutdown(Duration::ZERO).await;
    let refused = client.start(work, "queued".to_owned()).id("late").queue(QUEUE).await;
    assert_eq!(refused.map(drop), Err(StartError::Unavailable(Unavailable::ShuttingDown)));
    bed.reopen().await?;
    assert_eq!(bed.handle(work, "new").result().await?, 1);
    assert!(bed.handle(work, "late").describe().await.is_err());
    Ok(())
}

async fn case_22_a_backoff_is_neither_cut_short_nor_begun_anew_by_a_shutdown(kind: StoreKind) -> TestResult {
    let mut bed = shop::bed(kind).await?;
    bed.ledger().script("s1", [Reply::LoseReply]);
    bed.start(tour, "t", ()).await?;
    bed.until_described("t", "s1 waits", |run| {
        run.activities.iter().any(|open| open.next_attempt_at.is_some())
    })
    .await?;
    let next = async |bed: &Bed| -> TestResult<_> {
        Ok(bed
            .client()
            .handle("t")
            .describe()
            .await?
            .activities
            .first()
            .and_then(|open| open.next_attempt_at))
    };
    let before = next(&bed).await?;
    bed.shutdown(GRACE).await;
    bed.advance(millis(100));
    bed.reopen().await?;
    assert_eq!(next(&bed).await?, before);
    assert_eq!(bed.ledger().calls_of("s1").len(), 1);
    bed.run_on("t").await?;
    bed.check_closed(tour, "t").await?;
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "s4"]);
    Ok(())
}

async fn case_22_an_undo_that_is_handed_back_goes_on_under_its_key(kind: StoreKind) -> TestResult {
    let mut bed = shop::bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    bed.ledger().script("u2", [Reply::StallAfter(Door::new())]);
    bed.start(tour, "t", ()).await?;
    bed.ledger().until_effect("u2", 1).await?;
    bed.shutdown(Duration::ZERO).await;
    bed.reopen().await?;
    let result = bed.handle(tour, "t").result().await;
    assert!(matches!(result, Err(RunError::Failed { .. })), "{result:?}");
    let story = story_without_markers(&bed.check_closed(tour, "t").await?);
    assert_eq!(story[9..11], ["ActivityScheduled(u3)", "ActivityCompleted(u3)"]);
    let calls = bed.ledger().calls_of("u2");
    assert_eq!(calls.iter().map(|call| (call.attempt, call.life)).collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    assert_eq!(calls[0].key, calls[1].key);
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "u3", "u2", "u1"]);
    Ok(())
}

steadfast_tests::on_stores!(
    case_22_a_result_that_is_there_at_the_shutdown_is_kept_and_the_rest_is_handed_back,
    case_22_a_result_whose_commit_is_held_up_is_waited_for,
    case_22_a_start_that_was_acknowledged_is_there_and_a_later_one_is_refused,
    case_22_a_backoff_is_neither_cut_short_nor_begun_anew_by_a_shutdown,
    case_22_an_undo_that_is_handed_back_goes_on_under_its_key,
);
