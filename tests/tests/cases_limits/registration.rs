//! Case 37: what nobody has registered is said at once, costs no attempt, and goes on when somebody has it.

use anyhow::Context as _;
use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{ActivityState, AttemptError, ListFilter, RunDescription, RunError, RunStatus, TimeoutKind};
use steadfast_tests::kit::{Bed, Ledger, QUEUE, ServiceError, StoreKind, TestResult, story};

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn reserve(&self, ctx: ActivityContext, seats: u64) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "reserve", 1).await?;
        Ok(seats)
    }
}

/// The activity as the workflow misspells it.
struct Misspelt(Ledger);

#[activity(module = misspelt)]
impl Misspelt {
    #[activity(start_to_close = "10m", retry(initial_interval = "1s", maximum_attempts = 3))]
    async fn reserv(&self, ctx: ActivityContext, seats: u64) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "reserv", 1).await?;
        Ok(seats)
    }
}

#[workflow]
async fn tour(ctx: WorkflowContext, seats: u64) -> Result<u64, WorkflowError> {
    Ok(misspelt::reserv(&ctx, seats).await?)
}

#[workflow]
async fn hurried(ctx: WorkflowContext, seats: u64) -> Result<u64, WorkflowError> {
    Ok(misspelt::reserv(&ctx, seats).schedule_to_close(minutes(5)).await?)
}

#[workflow]
async fn elsewhere(ctx: WorkflowContext, seats: u64) -> Result<u64, WorkflowError> {
    Ok(desk::reserve(&ctx, seats).queue("other").schedule_to_start(minutes(5)).await?)
}

const REASON: &str = "not registered: reserv; known: reserve";

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(tour).workflow(hurried).workflow(elsewhere).activities(Desk(ledger))
    })
    .await?;
    Ok(bed)
}

/// A run needs attention for this reason alone, and no attempt of its activity was granted.
fn assert_waits(run: &RunDescription, reason: &str) {
    assert_eq!(run.attention, [reason]);
    let [open] = run.activities.as_slice() else { panic!("{run:#?}") };
    assert_eq!((open.state, open.attempt, open.next_attempt_at), (ActivityState::Pending, 0, None));
    assert_eq!(open.waits_for.as_deref(), Some(reason));
    assert_eq!(run.status, RunStatus::Running);
}

async fn attention(bed: &Bed) -> TestResult<Vec<String>> {
    let filter = ListFilter { needs_attention: true, ..ListFilter::default() };
    let page = bed.client().list(filter, None, 100).await?;
    Ok(page.rows.into_iter().map(|row| row.workflow_id.to_string()).collect())
}

async fn case_37_an_activity_that_nobody_has_is_said_at_once(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    let run = bed.start(tour, "t", 2).await?;
    // The clock has not moved: it is said with the start.
    assert_waits(&run.describe().await?, REASON);
    assert_eq!(attention(&bed).await?, ["t"]);
    bed.advance(hours(24));
    assert_waits(&run.describe().await?, REASON);
    assert_eq!(story(&bed.history("t").await?), ["WorkflowStarted", "ActivityScheduled(reserv)"]);
    bed.kill_and_restart().await?;
    bed.until_described("t", "it is said again", |run| !run.attention.is_empty()).await?;
    assert_waits(&bed.client().handle("t").describe().await?, REASON);
    assert_eq!(bed.ledger().calls(), []);
    Ok(())
}

async fn case_37_schedule_to_close_ends_it_with_that_reason(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(hurried, "h", 2).await?;
    bed.advance(minutes(5));
    let error = run.result().await.err().context("it succeeds")?;
    let told = error.workflow_error().map(ToString::to_string);
    let expected = format!("`reserv` failed: schedule-to-close timeout ({REASON})");
    assert_eq!(told, Some(expected));
    let events = bed.check_closed(hurried, "h").await?;
    let Some(EventKind::ActivityTimedOut(over)) = events.get(2).map(|event| &event.kind) else {
        anyhow::bail!("{events:#?}");
    };
    assert_eq!((over.timeout, over.reason.as_deref()), (TimeoutKind::ScheduleToClose, Some(REASON)));
    assert_eq!((over.attempts.attempt, over.attempts.begun.len()), (0, 0), "no attempt is used up");
    assert_eq!(attention(&bed).await?, Vec::<String>::new());
    Ok(())
}

async fn case_37_it_runs_as_attempt_1_once_a_worker_has_it(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(tour, "t", 2).await?;
    assert_waits(&run.describe().await?, REASON);
    bed.advance(secs(2));
    // Another worker beside the first one.
    let worker = bed.engine().worker(QUEUE).activities(Misspelt(bed.ledger())).start().await?;
    assert_eq!(run.result().await?, 2, "the clock has not moved since");
    let [call] = bed.ledger().calls().try_into().map_err(|calls| anyhow::anyhow!("{calls:?}"))?;
    assert_eq!((call.operation.as_str(), call.attempt, call.at), ("reserv", 1, bed.now()));
    let events = bed.check_closed(tour, "t").await?;
    let straight =
        ["WorkflowStarted", "ActivityScheduled(reserv)", "ActivityCompleted(reserv)", "WorkflowCompleted"];
    assert_eq!(story(&events), straight);
    assert_eq!(attention(&bed).await?, Vec::<String>::new(), "nothing needs attention any more");
    worker.stop();
    Ok(())
}

async fn case_37_it_runs_as_attempt_1_once_the_worker_is_replaced(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    let old = bed.engine().worker(QUEUE).workflow(tour).activities(Desk(bed.ledger())).start().await?;
    let run = bed.start(tour, "t", 2).await?;
    assert_waits(&run.describe().await?, REASON);
    bed.advance(secs(2));
    old.stop();
    let nobody = format!("not registered: reserv; known: none (no worker serves `{QUEUE}`)");
    bed.until_described("t", "the reason has changed", |run| run.attention == [nobody.clone()]).await?;
    bed.serve(|worker, ledger| worker.workflow(tour).activities(Misspelt(ledger))).await?;
    assert_eq!(run.result().await?, 2);
    assert_eq!(bed.ledger().calls().iter().map(|call| call.attempt).collect::<Vec<_>>(), [1]);
    bed.check_closed(tour, "t").await?;
    Ok(())
}

async fn case_37_a_queue_that_nobody_serves_is_said_too(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    let reason = "not registered: reserve; known: none (no worker serves `other`)";
    let run = bed.start(elsewhere, "e", 3).await?;
    assert_waits(&run.describe().await?, reason);
    bed.serve_queue("other", |worker, ledger| worker.activities(Desk(ledger))).await?;
    assert_eq!(run.result().await?, 3);
    bed.check_closed(elsewhere, "e").await?;
    let late = bed.start(elsewhere, "late", 3).await?;
    assert_eq!(late.result().await?, 3);
    Ok(())
}

async fn case_37_schedule_to_start_ends_it_with_that_reason(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let run = bed.start(elsewhere, "e", 3).await?;
    bed.advance(minutes(5));
    let RunError::Failed { error, .. } = run.result().await.err().context("it ran")? else {
        anyhow::bail!("another end");
    };
    let reason = "not registered: reserve; known: none (no worker serves `other`)";
    assert_eq!(error.to_string(), format!("`reserve` failed: schedule-to-start timeout ({reason})"));
    bed.check_closed(elsewhere, "e").await?;
    Ok(())
}

/// The same name with another input: what a caller of another version sends.
mod other {
    use steadfast::prelude::*;

    #[activity(name = "reserve")]
    pub(super) async fn of_text(seats: String) -> Result<u64, AnyFailure> {
        Ok(seats.len() as u64)
    }

    #[workflow]
    pub(super) async fn mixes(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
        Ok(of_text(&ctx, "two".to_owned()).await?)
    }
}

async fn case_37_an_argument_of_another_shape_fails_the_activity_without_a_loop(
    kind: StoreKind,
) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.serve(|worker, _| worker.workflow(other::mixes)).await?;
    let error = bed.start(other::mixes, "m", ()).await?.result().await.err().context("it succeeds")?;
    let told = error.workflow_error().map(ToString::to_string).context("an error of the workflow")?;
    let expected = "`reserve` failed: the input cannot be read: invalid type: string \"two\", expected u64 at line 1 column 5";
    assert_eq!(told, expected);
    let events = bed.check_closed(other::mixes, "m").await?;
    let Some(EventKind::ActivityFailed(failed)) = events.get(2).map(|event| &event.kind) else {
        anyhow::bail!("{events:#?}");
    };
    assert!(matches!(failed.error, AttemptError::InputMismatch { .. }) && !failed.exhausted);
    assert_eq!(failed.attempts.attempt, 1);
    assert_eq!(bed.ledger().calls(), [], "the body did not run");
    Ok(())
}

steadfast_tests::on_stores!(
    case_37_an_activity_that_nobody_has_is_said_at_once,
    case_37_schedule_to_close_ends_it_with_that_reason,
    case_37_it_runs_as_attempt_1_once_a_worker_has_it,
    case_37_it_runs_as_attempt_1_once_the_worker_is_replaced,
    case_37_a_queue_that_nobody_serves_is_said_too,
    case_37_schedule_to_start_ends_it_with_that_reason,
    case_37_an_argument_of_another_shape_fails_the_activity_without_a_loop,
);
