//! What an operator says holds at once, and after a kill.

use anyhow::Context as _;
use steadfast::{ActivityState, BreakerError, BreakerOrder, BreakerState, RunStatus};
use steadfast_tests::kit::{Bed, StoreKind, TestResult};

use crate::shop::{bed, breakers, closed, crowd, opened, start, state, waiting};

async fn held(bed: &Bed, id: &str) -> TestResult {
    let is_held = |run: &steadfast::RunDescription| {
        run.activities.iter().any(|open| open.state == ActivityState::CircuitOpen)
    };
    bed.until_described(id, "its breaker holds it back", is_held).await
}

async fn a_reset_lets_everybody_through(kind: StoreKind) -> TestResult {
    let bed = opened(kind).await?;
    bed.client().breaker("charge").reset("ann").await?;
    for id in crowd() {
        closed(&bed, &id, RunStatus::Completed).await?;
    }
    let known = breakers(&bed).await?;
    assert_eq!(known[0].state, BreakerState::Closed { failures: 0 });
    let ordered = known[0].ordered.clone().context("nobody ordered it")?;
    assert_eq!((ordered.who.as_str(), ordered.order, ordered.at), ("ann", BreakerOrder::Reset, bed.now()));
    Ok(())
}

async fn what_was_forced_open_stays_so_until_somebody_closes_it(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    // Before anybody has called it.
    bed.client().breaker("charge").force_open("ann").await?;
    start(&bed, "one").await?;
    held(&bed, "one").await?;
    let shown = bed.client().handle("one").describe().await?;
    assert_eq!(shown.activities[0].next_attempt_at, None, "nobody knows when");
    bed.kill_and_restart().await?;
    bed.advance(std::time::Duration::from_secs(1_000_000));
    held(&bed, "one").await?;
    assert_eq!(state(&bed).await?, BreakerState::Open { until: None });
    assert!(bed.ledger().calls().is_empty());
    // Twice is no error.
    bed.client().breaker("charge").force_open("bob").await?;
    assert_eq!(breakers(&bed).await?[0].ordered.clone().map(|ordered| ordered.who), Some("bob".to_owned()));
    bed.client().breaker("charge").reset("ann").await?;
    closed(&bed, "one", RunStatus::Completed).await?;
    Ok(())
}

async fn an_order_without_a_name_or_for_nothing_is_refused(kind: StoreKind) -> TestResult {
    let bed = opened(kind).await?;
    let before = breakers(&bed).await?;
    for who in ["", "  ", "x".repeat(1_001).as_str()] {
        let refused = bed.client().breaker("charge").reset(who).await;
        assert_eq!(refused, Err(BreakerError::Nameless));
    }
    let Err(refused) = bed.client().breaker("").reset("ann").await else { panic!("it has no name") };
    assert!(refused.to_string().contains("is empty"), "{refused}");
    assert_eq!(breakers(&bed).await?, before);
    // Of another key: a breaker of its own.
    bed.client().breaker("charge").key("eu").reset("ann").await?;
    assert_eq!(breakers(&bed).await?.len(), 2);
    assert_eq!(waiting(&bed).await?.len(), 50, "the crowd still waits");
    Ok(())
}

async fn pages_of_breakers_show_each_once(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for number in 0..7 {
        bed.client().breaker("charge").key(format!("key {number}")).force_open("ann").await?;
    }
    let (mut keys, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = bed.client().breakers(after, 3).await?;
        assert!(page.len() <= 3);
        keys.extend(page.into_iter().map(|breaker| breaker.key));
        match next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    keys.sort();
    assert_eq!(keys, (0..7).map(|number| format!("key {number}")).collect::<Vec<_>>());
    Ok(())
}

steadfast_tests::on_stores!(
    a_reset_lets_everybody_through,
    what_was_forced_open_stays_so_until_somebody_closes_it,
    an_order_without_a_name_or_for_nothing_is_refused,
    pages_of_breakers_show_each_once,
);
