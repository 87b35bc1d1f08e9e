//! Case 3: a worker that stood still for longer than its lease wakes, and can write nothing any more.

use anyhow::ensure;
use steadfast::history::{Event, EventKind};
use steadfast::prelude::*;
use steadfast::store::{Refusal, Verdict};
use steadfast::{EVICT_VARIABLE, EventId, StartError, Unavailable};
use steadfast_tests::kit::{ClaimAnswer, Crew, Door, QUEUE, Reply, StoreKind, TestResult, eventually, story};

use crate::said::Said;
use crate::support::{LEASE, PAIR, POLL, bytes, called_by, crew, exported, owner, pair, start, until_owner};

const ID: &str = "w";
/// How long P1 stands still.
const PAUSE: Duration = Duration::from_secs(12);

/// What P1 is in the middle of when it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// The body of `a` runs: it had its effect, and ends after P1 has woken.
    Body,
    /// The body of `a` has ended, and its result stands before the store.
    Write,
}

/// What P1 does first when it wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// It writes what it has.
    Write,
    /// It renews its session, and learns that it has lost it.
    Renew,
}

/// P1 has begun `a` and stands still; P2 has taken over and finished the run.
struct Paused {
    crew: Crew,
    door: Door,
    epoch: u64,
}

async fn paused(kind: StoreKind, doing: Doing) -> TestResult<Paused> {
    let mut crew = crew(kind)?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    let epoch = owner(&**crew.store(), ID)?.epoch.0;
    let door = Door::new();
    crew.ledger().script("a", [Reply::StallAfter(door.clone())]);
    start(&crew, "P1", ID).await?;
    crew.ledger().until_effect("a", 1).await?;
    if doing == Doing::Write {
        crew.gate("P1").hold();
        door.open();
        crew.gate("P1").until_held("commit").await?;
    }
    crew.freeze("P1");
    crew.pass(PAUSE).await?;
    until_owner(&crew, "P2").await?;
    crew.run_on("P2", ID).await?;
    Ok(Paused { crew, door, epoch })
}

/// The attempts of `a` that completed it.
fn completions(events: &[Event]) -> Vec<u32> {
    let completed = events.iter().filter_map(|event| {
        let EventKind::ActivityCompleted(completed) = &event.kind else { return None };
        (completed.scheduled == EventId(2)).then_some(completed.attempts.attempt)
    });
    completed.collect()
}

async fn wakes(kind: StoreKind, doing: Doing, first: First) -> TestResult {
    let said = Said::listen();
    let Paused { mut crew, door, epoch } = paused(kind, doing).await?;
    let (stored, shown) = (bytes(&**crew.store(), ID)?, exported(&crew, "P2", ID).await?);
    let held = if first == First::Write { "renew_session" } else { "commit" };
    crew.gate("P1").hold_calls(move |call| call == held);
    crew.wake("P1");
    door.open();
    match first {
        First::Write => crew.gate("P1").until_refused().await?,
        First::Renew => {}
    }
    let why = match first {
        First::Write => "the shard was lost: its epoch is",
        First::Renew => "the session was ended by another engine",
    };
    // Before it hears the other thing, after which it may say nothing of this one.
    eventually("P1 says why", async || Ok(said.has(why))).await?;
    crew.gate("P1").release();
    crew.pass(LEASE).await?;
    // C1
    for (commit, verdicts) in crew.gate("P1").refused() {
        let lost = Verdict::Refused(Refusal::LostShard { now: owner(&**crew.store(), ID)?.epoch });
        ensure!(verdicts.iter().all(|verdict| *verdict == lost), "{commit:?}: {verdicts:?}");
    }
    let is_refused = !crew.gate("P1").refused().is_empty();
    ensure!(
        is_refused || (doing == Doing::Body && first == First::Renew),
        "P1 wrote nothing that was refused"
    );
    ensure!(bytes(&**crew.store(), ID)? == stored, "the stored run was changed");
    ensure!(exported(&crew, "P2", ID).await? == shown, "the history was changed");
    // C2
    let events = crew.check_closed("P2", pair, ID).await?;
    assert_eq!(story(&events), PAIR);
    assert_eq!(completions(&events), [2]);
    assert_eq!(crew.client("P2").handle_of(pair, ID).result().await?, (2, 1));
    // C3
    let calls = crew.ledger().calls_of("a");
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].key, calls[1].key);
    assert_eq!(crew.ledger().happened(), ["a", "b"]);
    assert_eq!(called_by(&crew, crew.life("P1")), ["a"]);
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch + 1);
    takes_new_work(crew).await
}

/// C5: P1 is alive. While P2 owns everything it says so; when P2 ends, P1 serves again.
async fn takes_new_work(mut crew: Crew) -> TestResult {
    ensure!(crew.engine("P1").slots_in_use() == 0, "P1 has its slots back");
    let start_at_p1 = crew.client("P1").start(pair, ()).id("next").queue(QUEUE).await;
    let is_owned_elsewhere = matches!(start_at_p1, Err(StartError::Unavailable(Unavailable::NotOwner(_))));
    ensure!(is_owned_elsewhere, "{start_at_p1:?}");
    crew.shutdown("P2").await;
    crew.pass(POLL * 2).await?;
    until_owner(&crew, "P1").await?;
    eventually("P1 takes a new run", async || match start(&crew, "P1", "next").await {
        Ok(()) => Ok(true),
        Err(error) if error.to_string().contains("not owned") => Ok(false),
        Err(error) => Err(error),
    })
    .await?;
    assert_eq!(crew.client("P1").handle_of(pair, "next").result().await?, (1, 1));
    assert_eq!(story(&crew.check_closed("P1", pair, "next").await?), PAIR);
    // What P2 did is shown as it was.
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (2, 1));
    Ok(())
}

async fn case_03_a_write_after_the_lease_is_refused(kind: StoreKind) -> TestResult {
    for doing in [Doing::Body, Doing::Write] {
        for first in [First::Write, First::Renew] {
            // A run that was dropped from memory is read again as its new owner left it: P1 has nothing to write.
            let is_read_again = std::env::var(EVICT_VARIABLE).is_ok_and(|value| value == "always");
            if !(is_read_again && doing == Doing::Body && first == First::Write) {
                wakes(kind, doing, first).await?;
            }
        }
    }
    Ok(())
}

/// A client of P1 whose start was on its way is not told that it succeeded; sent again it succeeds once.
async fn case_03_a_start_that_was_on_its_way_is_not_acknowledged(kind: StoreKind) -> TestResult {
    let mut crew = crew(kind)?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    crew.gate("P1").hold();
    let client = crew.client("P1");
    let call = client.start(pair, ()).id(ID).queue(QUEUE).request_id("start w");
    let told = tokio::spawn(call.into_future());
    crew.gate("P1").until_held("commit").await?;
    crew.freeze("P1");
    crew.pass(PAUSE).await?;
    until_owner(&crew, "P2").await?;
    crew.thaw("P1");
    let told = told.await?;
    let is_unknown = matches!(&told, Err(StartError::Unavailable(Unavailable::OutcomeUnknown(why))) if why.contains("the shard was lost"));
    ensure!(is_unknown, "{told:?}");
    crew.until_missing("P2", ID).await?;
    start(&crew, "P2", ID).await?;
    start(&crew, "P2", ID).await?;
    assert_eq!(crew.client("P2").handle_of(pair, ID).result().await?, (1, 1));
    assert_eq!(story(&crew.check_closed("P2", pair, ID).await?), PAIR);
    assert_eq!(called_by(&crew, crew.life("P1")), [""; 0]);
    Ok(())
}

/// Whoever overslept and was not replaced goes on as if nothing had been: an epoch decides, not the time.
async fn case_03_a_worker_that_nobody_replaced_goes_on(kind: StoreKind) -> TestResult {
    let mut crew = crew(kind)?;
    crew.open("P1").await?;
    let epoch = owner(&**crew.store(), ID)?.epoch.0;
    let door = Door::new();
    crew.ledger().script("a", [Reply::StallAfter(door.clone())]);
    start(&crew, "P1", ID).await?;
    crew.ledger().until_effect("a", 1).await?;
    crew.freeze("P1");
    crew.pass(PAUSE).await?;
    crew.thaw("P1");
    door.open();
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (1, 1));
    crew.pass(LEASE).await?;
    assert_eq!(story(&crew.check_closed("P1", pair, ID).await?), PAIR);
    assert_eq!(crew.ledger().calls().len(), 2);
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch);
    Ok(())
}

/// An owner that can run but not write, because its commits hang, keeps its lease: renewal has a thread of its own.
async fn case_03_commits_that_hang_do_not_cost_the_lease(kind: StoreKind) -> TestResult {
    let mut crew = crew(kind)?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    start(&crew, "P1", "before").await?;
    assert_eq!(crew.client("P1").handle_of(pair, "before").result().await?, (1, 1));
    let epoch = owner(&**crew.store(), ID)?.epoch.0;
    crew.gate("P1").hold();
    let client = crew.client("P1");
    let told = tokio::spawn(client.start(pair, ()).id(ID).queue(QUEUE).into_future());
    crew.gate("P1").until_held("commit").await?;
    for _ in 0..12 {
        crew.advance(secs(1));
        let far = crew.now().after(secs(3));
        let is_renewed = async || Ok(crew.session("P1")?.expires_at >= far);
        eventually("P1 renews its session", is_renewed).await?;
    }
    crew.gate("P1").release();
    told.await??;
    assert_eq!(crew.client("P1").handle_of(pair, ID).result().await?, (1, 1));
    assert_eq!(story(&crew.check_closed("P1", pair, ID).await?), PAIR);
    assert_eq!(owner(&**crew.store(), ID)?.epoch.0, epoch);
    assert!(crew.gate("P2").claims().iter().all(|claim| matches!(claim.answer, ClaimAnswer::Held(_))));
    Ok(())
}

steadfast_tests::on_stores!(
    case_03_a_write_after_the_lease_is_refused,
    case_03_a_start_that_was_on_its_way_is_not_acknowledged,
    case_03_a_worker_that_nobody_replaced_goes_on,
    case_03_commits_that_hang_do_not_cost_the_lease,
);
