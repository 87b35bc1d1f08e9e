//! An engine that was shut down.

use steadfast::ListFilter;
use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult};

use crate::table::Table;

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[workflow]
async fn naps(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(ctx.sleep(hours(1)).await?)
}

const DOWN: &str = "the engine is shutting down or was shut down; open another one";

async fn an_engine_that_was_shut_down_says_so_at_every_call(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(naps).activity(double)).await?;
    let run = bed.start(naps, "n", ()).await?;
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { run.outcome().await }
    });
    bed.until_described("n", "it sleeps", |run| run.timers.len() == 1).await?;
    let (engine, client) = (bed.engine().clone(), bed.client());
    engine.shutdown_within(Duration::ZERO).await;
    let commits = bed.gate().commits().len();
    let mut said = Table::default();
    said.add("a result that was awaited", waiting.await?);
    said.add("start", client.start(naps, ()).id("m").queue(QUEUE).await);
    said.add("run", client.run(double, 1).queue(QUEUE).await);
    said.add("describe", run.describe().await);
    said.add("history", run.history().await);
    said.add("outcome", run.outcome().await);
    said.add("result", run.result().await);
    said.add("cancel", run.cancel().await);
    said.add("terminate", run.terminate("why").await);
    said.add("list", client.list(ListFilter::default(), None, 10).await);
    said.add("dead_letters", client.dead_letters(None, 10).await);
    said.add("worker", engine.worker(QUEUE).activity(double).start().await);
    said.assert_is(&[
        ("a result that was awaited", DOWN),
        ("start", DOWN),
        ("run", DOWN),
        ("describe", DOWN),
        ("history", DOWN),
        ("outcome", DOWN),
        ("result", DOWN),
        ("cancel", DOWN),
        ("terminate", DOWN),
        ("list", DOWN),
        ("dead_letters", DOWN),
        ("worker", DOWN),
    ]);
    assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
    assert_eq!(engine.slots_in_use(), 0);
    // A second time does nothing.
    engine.shutdown().await;
    drop(engine);
    bed.reopen().await?;
    let rows = bed.client().list(ListFilter::default(), None, 10).await?.rows;
    assert_eq!(rows.len(), 1, "only what was started before is there");
    bed.advance(hours(1));
    bed.handle(naps, "n").result().await?;
    bed.check_closed(naps, "n").await?;
    Ok(())
}

steadfast_tests::on_stores!(an_engine_that_was_shut_down_says_so_at_every_call);
