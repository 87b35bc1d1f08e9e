//! Workers that cannot be started.

use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult};

use crate::table::Table;

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[activity(name = "double")]
async fn twice(n: u64) -> Result<u64, AnyFailure> {
    Ok(n + n)
}

#[workflow]
async fn doubles(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, n).await?)
}

#[workflow(name = "doubles")]
async fn again(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, n).await?)
}

#[workflow(name = "doubles", version = 2)]
async fn next_version(ctx: WorkflowContext, n: u64) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, n).await?)
}

async fn a_worker_that_cannot_be_meant_is_refused(kind: StoreKind) -> TestResult {
    let bed = Bed::new(kind).await?;
    let worker = || bed.engine().worker(QUEUE);
    let mut said = Table::default();
    said.add("an activity twice", worker().activity(double).activity(double).start().await);
    said.add("an activity twice, in one set", worker().activities(activities![double, double]).start().await);
    said.add("two activities of one name", worker().activity(double).activity(twice).start().await);
    said.add("a workflow twice", worker().workflow(doubles).workflow(doubles).start().await);
    said.add("two workflows of one name", worker().workflow(doubles).workflow(again).start().await);
    said.add("no slots", worker().activity(double).slots(0).start().await);
    let activity = "activity `double` is registered twice on one worker; register it once, or give one of them another name";
    let workflow = "workflow `doubles` version 1 is registered twice on one worker; register it once, or give one of them another name or version";
    said.assert_is(&[
        ("an activity twice", activity),
        ("an activity twice, in one set", activity),
        ("two activities of one name", activity),
        ("a workflow twice", workflow),
        ("two workflows of one name", workflow),
        ("no slots", "a worker needs at least one slot"),
    ]);
    assert_eq!(bed.gate().commits().len(), 0, "nothing is written");
    Ok(())
}

/// None of those that were refused took anything, and what is not the same may stand side by side.
async fn a_worker_after_those_that_were_refused_works(kind: StoreKind) -> TestResult {
    let bed = Bed::new(kind).await?;
    let worker = || bed.engine().worker(QUEUE);
    assert!(worker().workflow(doubles).activity(double).slots(0).start().await.is_err());
    let run = bed.start(doubles, "d", 4).await?;
    assert!(run.describe().await?.blocked.is_some(), "nobody has it");
    worker().workflow(doubles).workflow(next_version).activity(double).slots(1).start().await?;
    worker().workflow(doubles).activity(twice).start().await?;
    assert_eq!(run.result().await?, 8);
    bed.check_closed(next_version, "d").await?;
    Ok(())
}

steadfast_tests::on_stores!(
    a_worker_that_cannot_be_meant_is_refused,
    a_worker_after_those_that_were_refused_works,
);
