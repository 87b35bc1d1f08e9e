//! Activities that call the outside service, with their undos, and the sagas of several cases.

use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, Ledger, ServiceError, StoreKind, TestResult};

pub(crate) const PRICE: i64 = 100;

/// The activities of one engine.
pub(crate) struct Shop(pub(crate) Ledger);

#[activity(module = shop)]
impl Shop {
    #[activity(compensate = u1)]
    async fn s1(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s1", PRICE).await
    }

    #[activity]
    async fn u1(&self, ctx: ActivityContext, step: UndoOf<shop::s1>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u1", &step.idempotency_key).await
    }

    #[activity(compensate = u2)]
    async fn s2(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s2", PRICE).await
    }

    #[activity]
    async fn u2(&self, ctx: ActivityContext, step: UndoOf<shop::s2>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u2", &step.idempotency_key).await
    }

    #[activity(compensate = u3)]
    async fn s3(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s3", PRICE).await
    }

    #[activity]
    async fn u3(&self, ctx: ActivityContext, step: UndoOf<shop::s3>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "u3", &step.idempotency_key).await
    }

    /// The last step, which has no undo.
    #[activity]
    async fn s4(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s4", 0).await
    }

    /// A step that is never to be called.
    #[activity]
    async fn s5(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "s5", 0).await
    }
}

/// Three steps that can be undone, and one that cannot.
#[workflow]
pub(crate) async fn tour(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        shop::s1(saga).await?;
        shop::s2(saga).await?;
        shop::s3(saga).await?;
        shop::s4(saga).await?;
        Ok(())
    })
    .await
}

/// Two branches at once, and a step after both.
#[workflow]
pub(crate) async fn fork(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        try_join!(shop::s1(saga), shop::s4(saga))?;
        shop::s5(saga).await?;
        Ok(())
    })
    .await
}

/// A bed whose engines serve all of the above.
pub(crate) async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(tour).workflow(fork).activities(Shop(ledger))).await?;
    Ok(bed)
}
