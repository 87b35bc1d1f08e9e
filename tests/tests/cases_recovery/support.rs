//! What these cases share: two activities in turn, several engines that serve them, and what the store says of a run.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use steadfast::history::to_json;
use steadfast::prelude::*;
use steadfast::store::{HistoryRecord, ShardRow, Store};
use steadfast::{EventId, WorkflowId};
use steadfast_tests::kit::{Crew, Ledger, QUEUE, ServiceError, StoreKind, TestResult};

pub(crate) const LEASE: Duration = Duration::from_secs(5);
/// How often an engine looks whether a lease has lapsed.
pub(crate) const POLL: Duration = Duration::from_micros(5_000_000 / 3 + 1);

pub(crate) struct Desk(pub(crate) Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn a(&self, ctx: ActivityContext) -> Result<u32, ServiceError> {
        self.0.act(&ctx, "a", 1).await?;
        Ok(ctx.attempt())
    }

    #[activity]
    async fn b(&self, ctx: ActivityContext) -> Result<u32, ServiceError> {
        self.0.act(&ctx, "b", 1).await?;
        Ok(ctx.attempt())
    }
}

/// Two activities, one after the other; the numbers of their attempts.
#[workflow]
pub(crate) async fn pair(ctx: WorkflowContext) -> Result<(u32, u32), WorkflowError> {
    Ok((desk::a(&ctx).await?, desk::b(&ctx).await?))
}

/// What is left of [`pair`] once it has completed.
pub(crate) const PAIR: [&str; 6] = [
    "WorkflowStarted",
    "ActivityScheduled(a)",
    "ActivityCompleted(a)",
    "ActivityScheduled(b)",
    "ActivityCompleted(b)",
    "WorkflowCompleted",
];

/// A crew without an engine; its engines serve [`pair`].
pub(crate) fn crew(kind: StoreKind) -> TestResult<Crew> {
    Crew::new(kind, LEASE, |worker, ledger| worker.workflow(pair).activities(Desk(ledger)))
}

/// Starts [`pair`] at an engine.
pub(crate) async fn start(crew: &Crew, at: &str, id: &str) -> TestResult {
    crew.client(at).start(pair, ()).id(id).queue(QUEUE).request_id(format!("start {id}")).await?;
    Ok(())
}

/// Who owns the shard of a workflow.
pub(crate) fn owner(store: &dyn Store, id: &str) -> TestResult<ShardRow> {
    let shard = WorkflowId::new(id)?.shard(store.shard_count());
    store.shards()?.into_iter().find(|row| row.shard == shard).context("there is no such shard")
}

/// The newest run of a workflow as the store has it: the bytes of its head and of its records.
pub(crate) fn bytes(store: &dyn Store, id: &str) -> TestResult<(Vec<u8>, Vec<HistoryRecord>)> {
    let workflow = WorkflowId::new(id)?;
    let shard = workflow.shard(store.shard_count());
    let run = store.current(shard, &workflow)?.context("there is no run")?.run_id;
    let head = store.head(shard, run)?.context("the run has no head")?;
    Ok((head.body, store.history(shard, run, EventId(1), usize::MAX)?))
}

/// The history of a workflow as an engine shows it, as people export it.
pub(crate) async fn exported(crew: &Crew, at: &str, id: &str) -> TestResult<String> {
    Ok(to_json(&crew.client(at).handle(id).history().await?)?)
}

/// The operations that an engine called, in order.
pub(crate) fn called_by(crew: &Crew, life: u32) -> Vec<String> {
    let calls = crew.ledger().calls().into_iter().filter(|call| call.life == life);
    calls.map(|call| call.operation).collect()
}

/// Waits until an engine owns all shards.
pub(crate) async fn until_owner(crew: &Crew, name: &str) -> TestResult {
    let store = Arc::clone(crew.store());
    steadfast_tests::kit::eventually("it owns all shards", async || {
        let session = crew.session(name)?.id;
        Ok(store.shards()?.iter().all(|row| row.owner == Some(session)))
    })
    .await
}
