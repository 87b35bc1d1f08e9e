//! A saga of four steps whose last one fails and whose second undo does as it is told, with three attempts for it.

use steadfast::history::{Compensation, FailedUndo};
use steadfast::prelude::*;
use steadfast::{RunDescription, RunStatus, Timestamp};
use steadfast_tests::kit::{Bed, Ledger, ServiceError, StoreKind, TestResult};

pub(crate) struct Steps(pub(crate) Ledger);

#[activity(module = steps)]
impl Steps {
    #[activity(compensate = u1)]
    async fn s1(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s1", 100).await
    }

    #[activity(retry(
        initial_interval = "1s",
        backoff_coefficient = 2.0,
        maximum_attempts = 3,
        jitter = 0.0
    ))]
    async fn u1(&self, ctx: ActivityContext, step: UndoOf<steps::s1>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u1", &step.idempotency_key).await
    }

    #[activity(compensate = u2)]
    async fn s2(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s2", 100).await
    }

    #[activity(
        start_to_close = "5s",
        retry(initial_interval = "1s", backoff_coefficient = 2.0, maximum_attempts = 3, jitter = 0.0)
    )]
    async fn u2(&self, ctx: ActivityContext, step: UndoOf<steps::s2>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u2", &step.idempotency_key).await
    }

    #[activity(compensate = u3)]
    async fn s3(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s3", 100).await
    }

    #[activity]
    async fn u3(&self, ctx: ActivityContext, step: UndoOf<steps::s3>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u3", &step.idempotency_key).await
    }

    #[activity]
    async fn s4(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s4", 0).await
    }
}

#[workflow]
pub(crate) async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        steps::s1(saga).await?;
        steps::s2(saga).await?;
        steps::s3(saga).await?;
        steps::s4(saga).await?;
        Ok(())
    })
    .await
}

/// The same, and the code is content with the error.
#[workflow]
pub(crate) async fn content(ctx: WorkflowContext) -> Result<String, WorkflowError> {
    let ended = ctx
        .saga(async |saga| {
            steps::s1(saga).await?;
            steps::s2(saga).await?;
            steps::s3(saga).await?;
            steps::s4(saga).await?;
            Ok(())
        })
        .await;
    Ok(ended.map_or_else(|error| error.to_string(), |()| "done".to_owned()))
}

/// A step that is undone by code of the workflow's own, which fails.
#[workflow]
pub(crate) async fn by_hand(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        steps::s1(saga).await?;
        saga.on_undo(async |_| Err(WorkflowError::fail("nobody answers")));
        steps::s4(saga).await?;
        Ok(())
    })
    .await
}

pub(crate) async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(tour).workflow(content).workflow(by_hand).activities(Steps(ledger))
    })
    .await?;
    Ok(bed)
}

/// When the attempts of an operation began, from the first one on.
pub(crate) fn attempts(bed: &Bed, operation: &str) -> Vec<(u32, Duration)> {
    let calls = bed.ledger().calls_of(operation);
    let first = calls.first().map_or(Timestamp::ZERO, |call| call.at);
    calls.iter().map(|call| (call.attempt, call.at.since(first))).collect()
}

/// The list of failed undos with one entry: that of `s2`, which is event 4, after as many attempts as it has.
pub(crate) fn u2_failed(last: &str) -> Compensation {
    u2_failed_after(3, &format!("given up after 3 attempts: {last}"))
}

pub(crate) fn u2_failed_after(attempts: u32, error: &str) -> Compensation {
    let (step, undo) = (Some(steadfast::EventId(4)), "u2".to_owned());
    Compensation::Failed(vec![FailedUndo { step, undo, attempts, error: error.to_owned(), skipped: None }])
}

/// The last error of an undo that the service did not answer.
pub(crate) const BROKE: &str = "ServiceError: the connection broke";

/// What describe and list show of a closed run.
pub(crate) async fn shown(bed: &Bed, id: &str) -> TestResult<(RunDescription, RunStatus, bool)> {
    let run = bed.client().handle(id).describe().await?;
    let rows = bed.client().list(steadfast::ListFilter::default(), None, 10).await?.rows;
    let row = rows.into_iter().find(|row| row.run_id == run.run_id);
    let row = row.ok_or_else(|| anyhow::anyhow!("the list does not show it"))?;
    Ok((run, row.status, row.needs_attention))
}

/// Waits until `u2` has been called `attempt` times and waits for the next one, and moves the clock on to it.
pub(crate) async fn next_attempt(bed: &Bed, id: &str, attempt: usize) -> TestResult {
    bed.ledger().until_called("u2", attempt).await?;
    let now = bed.now();
    let next = |run: &RunDescription| {
        let mut waits = run.activities.iter().filter(|open| usize::try_from(open.attempt) == Ok(attempt));
        waits.find_map(|open| open.next_attempt_at.filter(|at| *at > now))
    };
    bed.until_described(id, "u2 waits for its next attempt", |run| next(run).is_some()).await?;
    let at = next(&bed.client().handle(id).describe().await?);
    bed.advance_to(at.unwrap_or(now));
    Ok(())
}
