//! Closes, retries and timers.

use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult};

use crate::cost::{Mark, kinds, show};

const CLOSE_KEYS_MAX: usize = 5;

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(compensate = unstep)]
    async fn step(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "step", 1).await
    }

    #[activity]
    async fn unstep(&self, ctx: ActivityContext, step: UndoOf<desk::step>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "unstep", &step.idempotency_key).await
    }
}

/// Ends as it is told, after a second.
#[workflow]
async fn ends(ctx: WorkflowContext, how: String) -> Result<(), WorkflowError> {
    if how == "undone" {
        let undone = ctx.saga(async |saga| {
            desk::step(saga).await?;
            saga.ctx().sleep(secs(1)).await?;
            Err(WorkflowError::fail(how))
        });
        return undone.await;
    }
    ctx.sleep(secs(1)).await?;
    match how.as_str() {
        "completed" => Ok(()),
        _ => Err(WorkflowError::fail(how)),
    }
}

#[workflow]
async fn retries(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    Ok(desk::step(&ctx).await?)
}

#[workflow]
async fn naps(ctx: WorkflowContext, times: u64) -> Result<(), WorkflowError> {
    for _ in 0..times {
        ctx.sleep(secs(1)).await?;
    }
    Ok(())
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(ends).workflow(retries).workflow(naps).activities(Desk(ledger))
    })
    .await?;
    Ok(bed)
}

async fn a_close_costs_at_most_five_keys(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    // A client that ends a run has its request remembered: one more key, which is not the close's own.
    for (how, request) in [
        ("completed", 0),
        ("failed", 0),
        ("timed out", 0),
        ("undone", 0),
        ("cancelled", 1),
        ("terminated", 1),
    ] {
        let limit = if how == "timed out" { millis(500) } else { hours(1) };
        let start = bed.client().start(ends, how.to_owned()).id(how).queue(QUEUE).run_timeout(limit);
        let run = start.await?;
        bed.until_described(how, "it sleeps", |run| !run.timers.is_empty()).await?;
        let mark = Mark::now(&bed)?;
        match how {
            "cancelled" => run.cancel().await?,
            "terminated" => run.terminate("enough").await?,
            _ => bed.advance(secs(1)),
        }
        let ended = run.result().await;
        assert_eq!(ended.is_ok(), how == "completed", "{ended:?}");
        let cost = mark.cost(&bed)?;
        let Some(close) = cost.commits.last() else { anyhow::bail!("nothing is written") };
        show(format_args!("{kind:?}: {how}: {} keys {:?}", close.len(), kinds(close)));
        assert!(close.len() <= CLOSE_KEYS_MAX + request, "{:?}", kinds(close));
    }
    Ok(())
}

async fn a_failed_attempt_costs_three_keys_and_the_next_one_three(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("step", [Reply::Refuse, Reply::Refuse, Reply::Refuse]);
    let mark = Mark::now(&bed)?;
    let run = bed.start(retries, "r", ()).await?;
    for attempt in 1..=3 {
        bed.until_described("r", "it waits", |run| {
            run.activities.iter().any(|open| open.attempt == attempt && open.next_attempt_at.is_some())
        })
        .await?;
        bed.skip_backoff("r", "step").await?;
    }
    run.result().await?;
    let cost = mark.cost(&bed)?;
    let [_, between @ .., _] = cost.commits.as_slice() else { anyhow::bail!("{cost:?}") };
    let kinds: Vec<_> = between.iter().map(|writes| kinds(writes)).collect();
    assert_eq!(
        kinds,
        [["-due", "due", "head"]; 6],
        "one commit for each failure, one for each attempt after it"
    );
    Ok(())
}

async fn a_timer_costs_four_keys_and_one_commit(kind: StoreKind) -> TestResult {
    const TIMES: u64 = 10;
    let bed = bed(kind).await?;
    let run = bed.start(naps, "n", TIMES).await?;
    for nap in 1..TIMES {
        let mark = Mark::now(&bed)?;
        bed.advance(secs(1));
        bed.until_described("n", "the next timer runs", |run| run.last_event.0 == 2 + 2 * nap).await?;
        let cost = mark.cost(&bed)?;
        let [writes] = cost.commits.as_slice() else { anyhow::bail!("{cost:?}") };
        assert_eq!(kinds(writes), ["-due", "due", "head", "history"]);
    }
    bed.advance(secs(1));
    run.result().await?;
    Ok(())
}

steadfast_tests::on_stores!(
    a_close_costs_at_most_five_keys,
    a_failed_attempt_costs_three_keys_and_the_next_one_three,
    a_timer_costs_four_keys_and_one_commit,
);
