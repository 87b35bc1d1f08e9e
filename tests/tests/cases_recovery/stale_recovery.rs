//! Case 1: whoever recovers on a stale reading loses, calls nothing and writes nothing.

use anyhow::ensure;
use steadfast::prelude::*;
use steadfast::store::{Refusal, Verdict};
use steadfast_tests::kit::{Bed, ClaimAnswer, Crew, Door, Reply, StoreKind, TestResult, story};

use crate::support::{Desk, LEASE, PAIR, POLL, called_by, crew, owner, pair, start, until_owner};

const ID: &str = "orphan";

/// Engine P0 has run `a` and died before `b` began. Gives the epoch under which it owned the run.
async fn orphaned(crew: &mut Crew) -> TestResult<u64> {
    crew.open("P0").await?;
    crew.gate("P0").cut_after(|commit| commit.has("ActivityCompleted(a)"));
    start(crew, "P0", ID).await?;
    crew.gate("P0").until_cut().await?;
    let epoch = owner(&**crew.store(), ID)?.epoch.0;
    crew.kill("P0");
    Ok(epoch)
}

/// Lets engines learn that P0's lease is over, and holds them before they claim what it left.
async fn hold_between_list_and_claim(crew: &mut Crew, names: &[&str]) -> TestResult {
    for name in names {
        crew.gate(name).hold_calls(|call| call == "end_session_if_lapsed");
    }
    crew.advance(LEASE);
    for name in names {
        crew.gate(name).until_held("end_session_if_lapsed").await?;
    }
    for name in names {
        crew.gate(name).hold_calls(|call| call == "claim_shard");
        crew.gate(name).until_held("claim_shard").await?;
    }
    Ok(())
}

/// P1 and P2 both know that P0 is gone; P1 has claimed what it left, P2 has not.
async fn both_listed(kind: StoreKind) -> TestResult<(Crew, u64)> {
    let mut crew = crew(kind)?;
    let epoch = orphaned(&mut crew).await?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    hold_between_list_and_claim(&mut crew, &["P1", "P2"]).await?;
    crew.gate("P1").release();
    until_owner(&crew, "P1").await?;
    Ok((crew, epoch))
}

/// P2 goes on with what it knew: it learns that it has lost, and does nothing else.
async fn released(crew: &Crew) -> TestResult {
    let (winner, loser) = (crew.session("P1")?.id, crew.session("P2")?.id);
    let before = crew.gate("P2").claims().len();
    crew.gate("P2").release();
    // One claim of each shard.
    let shards = usize::from(crew.store().shard_count());
    crew.gate("P2").until_claims("P2 has claimed", |claims| claims.len() >= before + shards).await?;
    for claim in &crew.gate("P2").claims()[before..] {
        ensure!(claim.session == loser && claim.answer == ClaimAnswer::Held(winner), "{claim:?}");
    }
    Ok(())
}

async fn check(crew: &Crew, epoch: u64) -> TestResult {
    // C1: nothing came of what P2 knew.
    ensure!(called_by(crew, crew.life("P2")).is_empty());
    ensure!(crew.gate("P2").commits().is_empty() && crew.gate("P2").refused().is_empty());
    // C2
    let calls: Vec<String> = crew.ledger().calls().into_iter().map(|call| call.operation).collect();
    assert_eq!(calls, ["a", "b"]);
    // C3
    assert_eq!(story(&crew.check_closed("P1", pair, ID).await?), PAIR);
    // C4
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch + 1);
    Ok(())
}

async fn case_01_a_claim_that_comes_late_is_lost_while_the_run_goes_on(kind: StoreKind) -> TestResult {
    let (mut crew, epoch) = both_listed(kind).await?;
    let door = Door::new();
    crew.ledger().script("b", [Reply::StallAfter(door.clone())]);
    // The attempt of `b` that was granted to P0 is lost with it; the next one comes after a wait.
    crew.skip_backoff("P1", ID, "b").await?;
    crew.ledger().until_effect("b", 1).await?;
    released(&crew).await?;
    door.open();
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (1, 2));
    check(&crew, epoch).await
}

async fn case_01_a_claim_that_comes_after_the_run_has_closed_is_lost(kind: StoreKind) -> TestResult {
    let (mut crew, epoch) = both_listed(kind).await?;
    crew.skip_backoff("P1", ID, "b").await?;
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (1, 2));
    released(&crew).await?;
    check(&crew, epoch).await?;
    // When P1 dies too, P2 finds a closed run and leaves it as it is.
    crew.kill("P1");
    crew.pass(LEASE * 2).await?;
    until_owner(&crew, "P2").await?;
    crew.until_answered("P2", ID).await?;
    assert_eq!(crew.client("P2").handle_of(pair, ID).result().await?, (1, 2));
    assert_eq!(story(&crew.check_closed("P2", pair, ID).await?), PAIR);
    assert!(called_by(&crew, crew.life("P2")).is_empty());
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch + 2);
    Ok(())
}

/// Both have listed and claim at one moment: each shard has one new owner, and the run goes its way once.
async fn case_01_of_two_claims_at_one_moment_one_is_granted(kind: StoreKind) -> TestResult {
    let mut crew = crew(kind)?;
    let epoch = orphaned(&mut crew).await?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    hold_between_list_and_claim(&mut crew, &["P1", "P2"]).await?;
    crew.gate("P1").release();
    crew.gate("P2").release();
    crew.pass(POLL * 2).await?;
    let mut winners = Vec::new();
    for name in ["P1", "P2"] {
        let claims = crew.gate(name).claims();
        winners.extend(claims.iter().filter_map(|claim| match claim.answer {
            ClaimAnswer::Owned(epoch) => Some((claim.shard, epoch, name)),
            ClaimAnswer::Held(_) | ClaimAnswer::Ended | ClaimAnswer::Failed(_) => None,
        }));
    }
    winners.sort();
    let shards: Vec<_> = winners.iter().map(|(shard, ..)| *shard).collect();
    let all: Vec<_> = crew.store().shards()?.iter().map(|row| row.shard).collect();
    assert_eq!(shards, all, "each shard is granted once: {winners:?}");
    let row = owner(&**crew.store(), ID)?;
    assert_eq!(row.epoch.0, epoch + 1);
    let mine = winners.iter().find(|(shard, ..)| *shard == row.shard);
    let Some((_, _, winner)) = mine else { anyhow::bail!("nobody owns the run: {winners:?}") };
    crew.run_on(winner, ID).await?;
    assert_eq!(crew.client(winner).handle_of(pair, ID).result().await?, (1, 2));
    assert_eq!(story(&crew.check_closed(winner, pair, ID).await?), PAIR);
    assert_eq!(called_by(&crew, crew.life(winner)), ["b"]);
    assert_eq!(crew.ledger().calls().len(), 2);
    Ok(())
}

/// P2 owned what it recovers when it began to. It stands still in the middle of it, for so long that P1 takes over.
async fn overtaken(kind: StoreKind, place: &'static str) -> TestResult {
    let mut crew = crew(kind)?;
    let epoch = orphaned(&mut crew).await?;
    crew.open("P2").await?;
    crew.gate("P2").hold_calls(move |call| call == place);
    crew.advance(LEASE);
    crew.gate("P2").until_held(place).await?;
    crew.freeze("P2");
    crew.open("P1").await?;
    crew.pass(LEASE * 2).await?;
    until_owner(&crew, "P1").await?;
    crew.run_on("P1", ID).await?;
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (1, 2));
    // The recovery goes on before the engine learns that it has lost its session.
    crew.wake("P2");
    crew.gate("P2").hold_calls(|call| call == "renew_session");
    if place == "commit" {
        crew.gate("P2").until_refused().await?;
    }
    crew.gate("P2").until_held("renew_session").await?;
    crew.gate("P2").release();
    crew.pass(secs(1)).await?;
    ensure!(called_by(&crew, crew.life("P2")).is_empty(), "{place}: P2 called something");
    ensure!(crew.gate("P2").commits().is_empty(), "{place}: P2 wrote something");
    for (commit, verdicts) in crew.gate("P2").refused() {
        let is_lost = |verdict: &Verdict| matches!(verdict, Verdict::Refused(Refusal::LostShard { .. }));
        ensure!(verdicts.iter().all(is_lost), "{place}: {commit:?} {verdicts:?}");
    }
    assert_eq!(story(&crew.check_closed("P1", pair, ID).await?), PAIR);
    assert_eq!(called_by(&crew, crew.life("P1")), ["b"]);
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch + 2);
    Ok(())
}

async fn case_01_a_recovery_that_was_overtaken_calls_and_writes_nothing(kind: StoreKind) -> TestResult {
    for place in ["due", "sessions", "head", "commit"] {
        overtaken(kind, place).await?;
    }
    Ok(())
}

/// The same within one engine: it is told to recover once for each worker that starts.
async fn case_01_several_workers_that_start_at_once_recover_a_run_once(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    for _ in 0..4 {
        bed.serve(|worker, ledger| worker.workflow(pair).activities(Desk(ledger))).await?;
    }
    bed.gate().cut_after(|commit| commit.has("ActivityCompleted(a)"));
    bed.start(pair, ID, ()).await?;
    bed.gate().until_cut().await?;
    bed.kill_and_restart().await?;
    bed.run_on(ID).await?;
    assert_eq!(story(&bed.check_closed(pair, ID).await?), PAIR);
    let calls: Vec<String> = bed.ledger().calls().into_iter().map(|call| call.operation).collect();
    assert_eq!(calls, ["a", "b"]);
    Ok(())
}

steadfast_tests::on_stores!(
    case_01_a_claim_that_comes_late_is_lost_while_the_run_goes_on,
    case_01_a_claim_that_comes_after_the_run_has_closed_is_lost,
    case_01_of_two_claims_at_one_moment_one_is_granted,
    case_01_a_recovery_that_was_overtaken_calls_and_writes_nothing,
    case_01_several_workers_that_start_at_once_recover_a_run_once,
);
