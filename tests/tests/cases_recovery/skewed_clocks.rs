//! Case 3, the clocks: a lease is measured by the store's clock, whatever the clocks of engines say.

use anyhow::ensure;
use steadfast::Timestamp;
use steadfast::prelude::*;
use steadfast_tests::kit::{ClaimAnswer, Crew, Door, Reply, Skew, StoreKind, TestResult, eventually, story};

use crate::support::{LEASE, PAIR, POLL, crew, owner, pair, start, until_owner};

const ID: &str = "w";
const MINUTE: Duration = Duration::from_secs(60);

/// When an engine was granted its first shard, by the store's clock.
fn took_over(crew: &Crew, name: &str) -> Option<Timestamp> {
    let claims = crew.gate(name).claims();
    claims.iter().find(|claim| matches!(claim.answer, ClaimAnswer::Owned(_))).map(|claim| claim.at)
}

/// P1 runs `a` and stands still; P2 takes over when the lease is over by the store's clock, not before and not later
/// than its next look.
async fn replaced(kind: StoreKind, of_p1: Skew, of_p2: Skew) -> TestResult {
    let mut crew = crew(kind)?;
    crew.open_skewed("P1", of_p1).await?;
    crew.open_skewed("P2", of_p2).await?;
    let epoch = owner(&**crew.store(), ID)?.epoch.0;
    let door = Door::new();
    crew.ledger().script("a", [Reply::StallAfter(door.clone())]);
    start(&crew, "P1", ID).await?;
    crew.ledger().until_effect("a", 1).await?;
    // For longer than a lease and the skew, both see to their sessions.
    crew.pass(MINUTE + LEASE).await?;
    ensure!(took_over(&crew, "P2").is_none(), "P2 took over from an engine that lives");
    crew.freeze("P1");
    let over = crew.session("P1")?.expires_at;
    ensure!(over.since(crew.now()) > LEASE / 2 && over.since(crew.now()) <= LEASE, "{over}, {}", crew.now());
    crew.pass(over.since(crew.now().after(Duration::from_micros(1)))).await?;
    ensure!(took_over(&crew, "P2").is_none(), "P2 took over before the lease was over");
    // Not a moment more passes than the lease and one look.
    crew.pass(over.after(POLL).since(crew.now())).await?;
    until_owner(&crew, "P2").await?;
    let at = took_over(&crew, "P2").unwrap_or_default();
    ensure!(over <= at && at <= over.after(POLL), "the lease ended at {over}, P2 took over at {at}");
    crew.run_on("P2", ID).await?;
    crew.thaw("P1");
    door.open();
    eventually("P1 has a new session", async || Ok(crew.store().sessions()?.len() == 2)).await?;
    crew.pass(LEASE).await?;
    assert_eq!(crew.client("P2").handle_of(pair, ID).result().await?, (2, 1));
    assert_eq!(story(&crew.check_closed("P2", pair, ID).await?), PAIR);
    assert_eq!(crew.ledger().happened(), ["a", "b"]);
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch + 1);
    Ok(())
}

async fn case_03_a_lease_ends_by_the_clock_of_the_store_alone(kind: StoreKind) -> TestResult {
    for skew in [Skew::None, Skew::Ahead(MINUTE), Skew::Behind(MINUTE)] {
        replaced(kind, skew, Skew::None).await.map_err(|error| error.context(format!("P1 {skew:?}")))?;
        replaced(kind, Skew::None, skew).await.map_err(|error| error.context(format!("P2 {skew:?}")))?;
    }
    replaced(kind, Skew::Ahead(MINUTE), Skew::Behind(MINUTE)).await?;
    replaced(kind, Skew::Behind(MINUTE), Skew::Ahead(MINUTE)).await
}

steadfast_tests::on_stores!(case_03_a_lease_ends_by_the_clock_of_the_store_alone);
