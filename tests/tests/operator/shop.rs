//! Workflows whose sagas wait for an operator.

use steadfast::history::{Compensation, Event};
use steadfast::prelude::*;
use steadfast::{EventId, Hold, RunError};
use steadfast_tests::kit::{Bed, Ledger, Reply, ServiceError, StoreKind, TestResult};

/// The activities of one engine.
pub(crate) struct Shop(Ledger);

impl Shop {
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self(ledger)
    }
}

#[activity(module = shop)]
impl Shop {
    #[activity(compensate = release)]
    async fn reserve(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "reserve", 100).await
    }

    #[activity]
    async fn release(&self, ctx: ActivityContext, step: UndoOf<shop::reserve>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "release", &step.idempotency_key).await
    }

    #[activity(compensate = refund)]
    async fn charge(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "charge", 100).await
    }

    #[activity]
    async fn refund(&self, ctx: ActivityContext, step: UndoOf<shop::charge>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "refund", &step.idempotency_key).await
    }

    /// What was wired is called back by people only.
    #[activity(compensate = call_back, undo = "operator")]
    async fn wire(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "wire", 100).await
    }

    #[activity]
    async fn call_back(&self, ctx: ActivityContext, step: UndoOf<shop::wire>) -> Result<(), ServiceError> {
        self.0.undo(&ctx, "call_back", &step.idempotency_key).await
    }

    #[activity]
    async fn ship(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "ship", 0).await
    }
}

/// Events of every order below.
pub(crate) const RESERVE: EventId = EventId(2);
pub(crate) const CHARGE: EventId = EventId(4);

/// Undos that fail wait for an operator.
#[workflow]
pub(crate) async fn order(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    let saga = ctx.saga(async |saga| {
        shop::reserve(saga).await?;
        shop::charge(saga).await?;
        shop::ship(saga).await?;
        Ok(())
    });
    saga.hold_for_operator().await
}

/// The undo of one step is an operator's: by its declaration, or by the call.
#[workflow]
pub(crate) async fn transfer(ctx: WorkflowContext, by_call: bool) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        if by_call {
            shop::reserve(saga).undo(steadfast::UndoMode::Operator).await?;
        } else {
            shop::wire(saga).await?;
        }
        shop::charge(saga).await?;
        shop::ship(saga).await?;
        Ok(())
    })
    .await
}

/// A bed whose engines serve all of the above, and on which nothing is ever shipped.
pub(crate) async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(order).workflow(transfer).activities(Shop(ledger))).await?;
    bed.ledger().script("ship", std::iter::repeat_n(Reply::Decline, 10));
    Ok(bed)
}

/// An order that waits for an operator: its refund was declined, its reservation is released.
pub(crate) async fn held(kind: StoreKind) -> TestResult<Bed> {
    let bed = bed(kind).await?;
    bed.ledger().script("refund", [Reply::Decline]);
    bed.start(order, "o", ()).await?;
    wait(&bed, 1).await?;
    Ok(bed)
}

/// Waits until so many things wait for an operator, and nothing else is open.
pub(crate) async fn wait(bed: &Bed, holds: usize) -> TestResult<Vec<Hold>> {
    bed.until_described("o", "an operator is waited for", |run| {
        run.holds.len() == holds && run.activities.is_empty()
    })
    .await?;
    Ok(bed.client().handle("o").describe().await?.holds)
}

/// How an order ended that failed, and its events after the failure of the step that began it.
pub(crate) async fn ended(bed: &Bed) -> TestResult<(Compensation, Vec<Event>)> {
    let result = bed.handle(order, "o").result().await;
    let Err(RunError::Failed { error, compensation }) = result else { panic!("{result:?}") };
    assert_eq!(error.downcast(), Some(ServiceError::Declined), "the first error stays the cause");
    assert!(bed.handle(order, "o").describe().await?.holds.is_empty());
    Ok((compensation, bed.check_closed(order, "o").await?))
}

/// Why something was refused, in words.
pub(crate) fn refusal<T: std::fmt::Debug, E: std::fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(value) => panic!("it was not refused: {value:?}"),
        Err(error) => error.to_string(),
    }
}
