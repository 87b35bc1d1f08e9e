//! One breaker for each key, and numbers that are said at the call.

use steadfast::prelude::*;
use steadfast::{ActivityState, BreakerState};
use steadfast_tests::kit::{Bed, QUEUE, Reply, StoreKind, TestResult, eventually};

use crate::shop::{OPEN, bed, breakers, desk};

#[workflow]
pub(crate) async fn ships(
    ctx: WorkflowContext,
    region: String,
    at_the_call: bool,
) -> Result<u64, WorkflowError> {
    let call = desk::ship(&ctx, region, (7, "road".to_owned()));
    let call = if at_the_call { call.circuit_breaker(CircuitBreaker::new(3).key("mine")) } else { call };
    Ok(call.await?)
}

async fn start(bed: &Bed, id: &str, region: &str, at_the_call: bool) -> TestResult {
    bed.client().start(ships, (region.to_owned(), at_the_call)).id(id).queue(QUEUE).await?;
    Ok(())
}

async fn until(bed: &Bed, id: &str, state: ActivityState) -> TestResult {
    eventually(&format!("{id} is {state:?}"), async || {
        // One that is being started is not there yet.
        let Ok(run) = bed.client().handle(id).describe().await else { return Ok(false) };
        Ok(run.activities.iter().any(|open| open.state == state))
    })
    .await
}

async fn a_region_that_is_down_leaves_the_others_alone(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("ship to eu", [Reply::Refuse]);
    start(&bed, "eu 1", "eu", false).await?;
    until(&bed, "eu 1", ActivityState::RetryWait).await?;
    start(&bed, "eu 2", "eu", false).await?;
    until(&bed, "eu 2", ActivityState::CircuitOpen).await?;
    start(&bed, "us 1", "us", false).await?;
    bed.client().handle_of(ships, "us 1").result().await?;
    let known = breakers(&bed).await?;
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!((known[0].activity.as_str(), known[0].key.as_str()), ("ship", "eu/road"));
    bed.advance(OPEN);
    bed.client().handle_of(ships, "eu 2").result().await?;
    assert_eq!(breakers(&bed).await?[0].state, BreakerState::Closed { failures: 0 });
    Ok(())
}

async fn a_call_can_say_it_otherwise(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("ship to eu", vec![Reply::Refuse; 3]);
    for number in 1..=3 {
        let id = format!("eu {number}");
        start(&bed, &id, "eu", true).await?;
        until(&bed, &id, ActivityState::RetryWait).await?;
    }
    start(&bed, "eu 4", "eu", true).await?;
    until(&bed, "eu 4", ActivityState::CircuitOpen).await?;
    start(&bed, "eu 5", "eu", false).await?;
    bed.client().handle_of(ships, "eu 5").result().await?;
    assert_eq!(breakers(&bed).await?[0].key, "mine");
    Ok(())
}

async fn an_activity_without_a_workflow_has_its_breaker_too(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("ship to eu", [Reply::Refuse]);
    let ship = |id: &str| {
        let call = bed.client().run(desk::ship, ("eu".to_owned(), (7, "road".to_owned())));
        call.id(id).queue(QUEUE)
    };
    let first = tokio::spawn(ship("eu 1").into_future());
    until(&bed, "eu 1", ActivityState::RetryWait).await?;
    let second = tokio::spawn(ship("eu 2").into_future());
    until(&bed, "eu 2", ActivityState::CircuitOpen).await?;
    assert_eq!(breakers(&bed).await?[0].key, "eu/road");
    bed.advance(hours(2));
    assert!(first.await??.max(second.await??) < 2);
    Ok(())
}

steadfast_tests::on_stores!(
    a_region_that_is_down_leaves_the_others_alone,
    a_call_can_say_it_otherwise,
    an_activity_without_a_workflow_has_its_breaker_too,
);
