//! The workflows, one for each shape. Each activity is told the keys of all results before it, so that the ledger
//! can tell a repeat from a retry.

use std::collections::BTreeMap;
use std::sync::Arc;

use steadfast::prelude::*;
use steadfast_core::exec::Definition;
use tour_booking::service::Kind;

use super::activities::{Booking, Ticket, beat, book, note as note_down, record};
use crate::crash::case::{FAN_WIDTH, Order};
use crate::crash::line::{Receipt, Report};

fn ticket(order: &Order, name: impl Into<String>, receipts: &[Receipt]) -> Ticket {
    Ticket {
        workflow: order.workflow.clone(),
        name: name.into(),
        earlier: receipts.iter().map(|receipt| receipt.key.clone()).collect(),
        failures: 0,
        pace: order.pace,
    }
}

/// Activities one after the other.
#[workflow]
pub(crate) async fn sequence(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let mut receipts = Vec::new();
    for number in 0..order.size {
        let receipt = record(&ctx, ticket(&order, format!("record {number}"), &receipts)).await?;
        receipts.push(receipt);
    }
    Ok(Report { receipts, padding: order.padding })
}

/// A saga whose steps are undone when one is declined.
#[workflow]
pub(crate) async fn tour(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    ctx.saga(async |saga| {
        let mut receipts = Vec::new();
        for (number, kind) in (0..).zip(Kind::ALL) {
            let ticket = ticket(&order, kind.name(), &receipts);
            let booking = Booking { ticket, kind, decline: order.decline == Some(number) };
            receipts.push(book(saga, booking).await?);
            if order.rest > 0 {
                saga.ctx().sleep(millis(order.rest)).await?;
            }
        }
        Ok(Report { receipts, padding: order.padding })
    })
    .await
}

/// Durable timers between activities.
#[workflow]
pub(crate) async fn nap(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let mut receipts = vec![record(&ctx, ticket(&order, "record before", &[])).await?];
    for number in 0..order.size {
        ctx.sleep(millis(order.rest)).await?;
        let receipt = record(&ctx, ticket(&order, format!("record {number}"), &receipts)).await?;
        receipts.push(receipt);
    }
    Ok(Report { receipts, padding: order.padding })
}

/// An activity that fails a few times.
#[workflow]
pub(crate) async fn flaky(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let failing = Ticket { failures: order.size, ..ticket(&order, "flaky", &[]) };
    let mut receipts = vec![record(&ctx, failing).await?];
    let last = record(&ctx, ticket(&order, "record", &receipts)).await?;
    receipts.push(last);
    Ok(Report { receipts, padding: order.padding })
}

/// A long activity that is heard of all the time.
#[workflow(name = "beat")]
pub(crate) async fn beating(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let mut receipts = vec![beat(&ctx, ticket(&order, "beat", &[]), order.size).await?];
    let last = record(&ctx, ticket(&order, "record", &receipts)).await?;
    receipts.push(last);
    Ok(Report { receipts, padding: order.padding })
}

/// Eight activities at a time.
#[workflow]
pub(crate) async fn fan(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let calls = (0..FAN_WIDTH).map(|number| record(&ctx, ticket(&order, format!("record {number}"), &[])));
    let mut receipts = Vec::new();
    for receipt in join_all(calls).await {
        receipts.push(receipt?);
    }
    let last = record(&ctx, ticket(&order, "record last", &receipts)).await?;
    receipts.push(last);
    Ok(Report { receipts, padding: order.padding })
}

/// A durable side effect between activities.
#[workflow]
pub(crate) async fn note(ctx: WorkflowContext, order: Order) -> Result<Report, WorkflowError> {
    let mut receipts = vec![record(&ctx, ticket(&order, "record", &[])).await?];
    let noted = ticket(&order, "note", &receipts);
    let key = format!("{}/{}/note", order.workflow, ctx.info().run_id);
    let receipt = ctx.step("note", async move || note_down(noted, key).await).await?;
    receipts.push(receipt);
    let last = record(&ctx, ticket(&order, "record last", &receipts)).await?;
    receipts.push(last);
    Ok(Report { receipts, padding: order.padding })
}

/// All workflows by name, as a replayer needs them.
pub(crate) fn definitions() -> BTreeMap<String, Arc<dyn Definition>> {
    use steadfast::__private::definition;
    let all = [
        definition(sequence),
        definition(tour),
        definition(nap),
        definition(flaky),
        definition(beating),
        definition(fan),
        definition(note),
    ];
    all.into_iter().map(|definition| (definition.workflow_type().to_string(), definition)).collect()
}
