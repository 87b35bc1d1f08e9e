//! Kills, evictions and missing code while an operator is waited for.

use steadfast::RunStatus;
use steadfast::history::Compensation;
use steadfast_tests::kit::{Bed, Commit, Reply, StoreKind, TestResult, story};

use crate::shop::{CHARGE, Shop, ended, held, order, refusal, wait};

async fn what_waits_survives_a_kill(kind: StoreKind) -> TestResult {
    let mut bed = held(kind).await?;
    let holds = wait(&bed, 1).await?;
    for _ in 0..3 {
        bed.kill_and_restart().await?;
        assert_eq!(wait(&bed, 1).await?, holds);
    }
    bed.handle(order, "o").operator("ann").retry(CHARGE).await?;
    let (compensation, events) = ended(&bed).await?;
    assert_eq!(compensation, Compensation::Compensated);
    let again = held(kind).await?;
    again.handle(order, "o").operator("ann").retry(CHARGE).await?;
    assert_eq!(story(&events), story(&ended(&again).await?.1), "as without kills");
    Ok(())
}

/// Retries the refund through an engine that dies before or after its nth commit from now on.
async fn decided_and_killed(kind: StoreKind, nth: usize, is_after: bool) -> TestResult<bool> {
    let mut bed = held(kind).await?;
    bed.ledger().script("refund", [Reply::LoseReply]);
    let now = bed.gate().commits().len();
    let when = move |commit: &Commit| commit.nth == now + nth;
    if is_after {
        bed.gate().cut_after(when)
    } else {
        bed.gate().cut_before(when)
    }
    let decide = |bed: &Bed| bed.handle(order, "o").operator("ann").retry(CHARGE).request_id("d");
    tokio::select! {
        cut = async {
            let _ = decide(&bed).await;
            bed.run_until_cut("o").await
        } => cut?,
        // Also an error says that it is over: the run has failed, or the engine was cut off.
        _ = async { bed.handle(order, "o").result().await } => {}
    }
    let was_cut = bed.gate().life().is_over();
    if was_cut {
        bed.kill_and_restart().await?;
        decide(&bed).await?;
    }
    bed.run_on("o").await?;
    let (compensation, _) = ended(&bed).await?;
    assert_eq!(compensation, Compensation::Compensated);
    assert_eq!(bed.ledger().happened(), ["reserve", "charge", "release", "refund"]);
    let calls = bed.ledger().calls_of("refund");
    assert!(calls.iter().all(|call| call.key == calls[0].key), "{calls:?}");
    Ok(was_cut)
}

async fn a_decision_is_done_once_whatever_dies(kind: StoreKind) -> TestResult {
    let mut cuts = 0;
    for nth in 1..=4 {
        for is_after in [false, true] {
            cuts += usize::from(decided_and_killed(kind, nth, is_after).await?);
        }
    }
    assert!(cuts >= 4, "{cuts} engines died");
    Ok(())
}

async fn a_decision_waits_with_a_run_whose_code_is_missing(kind: StoreKind) -> TestResult {
    let mut bed = held(kind).await?;
    bed.forget_workers();
    bed.kill_and_restart().await?;
    let run = bed.handle(order, "o");
    run.operator("ann").answer(CHARGE, &()).await?;
    let described = run.describe().await?;
    assert!(described.status.is_open(), "{described:?}");
    let second = refusal(run.operator("bob").skip(CHARGE, "no").await);
    assert!(second.starts_with("nothing waits for a decision on event 4"), "{second}");
    bed.serve(|worker, ledger| worker.workflow(order).activities(Shop::new(ledger))).await?;
    let (compensation, _) = ended(&bed).await?;
    assert_eq!((compensation, bed.ledger().calls_of("refund").len()), (Compensation::Compensated, 1));
    assert_eq!(run.describe().await?.status, RunStatus::Failed);
    Ok(())
}

steadfast_tests::on_stores!(
    what_waits_survives_a_kill,
    a_decision_is_done_once_whatever_dies,
    a_decision_waits_with_a_run_whose_code_is_missing,
);
