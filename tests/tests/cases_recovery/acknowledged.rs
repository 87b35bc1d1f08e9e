//! Case 2 without a process: what a caller is told is durable, and what is not durable nobody is told.

use anyhow::ensure;
use steadfast::prelude::*;
use steadfast::{EndError, ReadError, RunError, StartError, Unavailable};
use steadfast_tests::kit::{Bed, Door, QUEUE, Reply, StoreKind, TestResult, story};

use crate::support::{Desk, PAIR, pair};

const ID: &str = "w";

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(pair).activities(Desk(ledger))).await?;
    Ok(bed)
}

/// Asks something while a commit is held, and says that no answer comes before the commit.
macro_rules! ensure_waits {
    ($bed:expr, $call:expr) => {{
        let mut call = $call.into_future();
        let nobody = $bed.client().handle("nobody");
        tokio::select! {
            biased;
            told = &mut call => anyhow::bail!("told {told:?} of what is not durable"),
            // Sent later and answered without a commit. Answers come in order, so one to the call came first.
            other = nobody.describe() => ensure!(matches!(other, Err(ReadError::NotFound(_))), "{other:?}"),
        }
        call
    }};
}

/// While the commit that closes a run is on its way nobody learns that it is closed.
async fn case_02_an_end_that_is_not_durable_is_not_told(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let door = Door::new();
    bed.ledger().script("b", [Reply::Ok.after(&door)]);
    let run = bed.start(pair, ID, ()).await?;
    bed.ledger().until_called("b", 1).await?;
    let events = run.history().await?.len();
    bed.gate().hold();
    door.open();
    bed.gate().until_held("commit").await?;
    let result = ensure_waits!(bed, Box::pin(run.result()));
    let described = ensure_waits!(bed, Box::pin(run.describe()));
    let cancelled = ensure_waits!(bed, run.cancel());
    let terminated = ensure_waits!(bed, run.terminate("late"));
    ensure!(run.history().await?.len() == events, "a history shows what is not durable");
    bed.gate().release();
    assert_eq!(result.await?, (1, 1));
    ensure!(!described.await?.status.is_open());
    for told in [cancelled.await, terminated.await] {
        ensure!(matches!(told, Err(EndError::Closed { .. })), "{told:?}");
    }
    assert_eq!(story(&bed.check_closed(pair, ID).await?), PAIR);
    Ok(())
}

/// Everybody who asked for a run whose start fails is told so, whoever they are.
async fn case_02_a_start_that_fails_leaves_nobody_waiting(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.gate().hold();
    let client = bed.client();
    let call = client.start(pair, ()).id(ID).queue(QUEUE).request_id(format!("start {ID}"));
    let started = tokio::spawn(call.into_future());
    bed.gate().until_held("commit").await?;
    let run = bed.handle(pair, ID);
    let result = ensure_waits!(bed, Box::pin(run.result()));
    let described = ensure_waits!(bed, Box::pin(run.describe()));
    let cancelled = ensure_waits!(bed, run.cancel());
    bed.gate().fail_next_commit();
    bed.gate().release();
    let started = started.await?;
    let is_unknown = |why: &Unavailable| matches!(why, Unavailable::OutcomeUnknown(_));
    ensure!(matches!(&started, Err(StartError::Unavailable(why)) if is_unknown(why)), "{started:?}");
    let described = described.await;
    ensure!(matches!(&described, Err(ReadError::Unavailable(why)) if is_unknown(why)), "{described:?}");
    let cancelled = cancelled.await;
    ensure!(matches!(&cancelled, Err(EndError::Unavailable(why)) if is_unknown(why)), "{cancelled:?}");
    // The shard reads the store again after a pause, and finds no such run.
    bed.advance(secs(1));
    let result = result.await;
    ensure!(matches!(&result, Err(RunError::Read(ReadError::NotFound(_)))), "{result:?}");
    assert_eq!(bed.start(pair, ID, ()).await?.result().await?, (1, 1));
    assert_eq!(story(&bed.check_closed(pair, ID).await?), PAIR);
    Ok(())
}

steadfast_tests::on_stores!(
    case_02_an_end_that_is_not_durable_is_not_told,
    case_02_a_start_that_fails_leaves_nobody_waiting,
);
