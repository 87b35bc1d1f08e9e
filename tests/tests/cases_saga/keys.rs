//! Case 6: one idempotency key for all attempts of a call, and no other call has it.

use std::collections::BTreeSet;

use steadfast::IdReusePolicy;
use steadfast::history::{Event, EventKind};
use steadfast::prelude::*;
use steadfast_tests::kit::{
    Bed, Door, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult, kill_at_every_commit,
};

const PRICE: i64 = 100;

struct Bank(Ledger);

#[activity(module = bank)]
impl Bank {
    #[activity(retry(initial_interval = "1s", jitter = 0.0))]
    async fn charge(&self, ctx: ActivityContext, cents: i64) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "charge", cents).await
    }
}

/// Charges twice, with the same input.
#[workflow]
async fn pay_twice(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    bank::charge(&ctx, PRICE).await?;
    bank::charge(&ctx, PRICE).await?;
    Ok(())
}

/// Charges under a key of the workflow's own.
#[workflow]
async fn pay_order(ctx: WorkflowContext, order: u32) -> Result<u64, WorkflowError> {
    let order = format!("order-{order}");
    Ok(bank::charge(&ctx, PRICE).idempotency_key(order).start_to_close(secs(5)).await?)
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| worker.workflow(pay_twice).workflow(pay_order).activities(Bank(ledger)))
        .await?;
    Ok(bed)
}

/// The keys as the history has them.
fn recorded(events: &[Event]) -> Vec<String> {
    let scheduled = events.iter().filter_map(|event| {
        let EventKind::ActivityScheduled(scheduled) = &event.kind else { return None };
        Some(scheduled.idempotency_key.to_string())
    });
    scheduled.collect()
}

/// The attempts and keys of all calls.
fn calls(bed: &Bed) -> Vec<(u32, String)> {
    bed.ledger().calls().into_iter().map(|call| (call.attempt, call.key)).collect()
}

async fn case_06_all_attempts_have_one_key_and_the_next_call_has_another(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    bed.ledger().script("charge", [Reply::LoseReply, Reply::Ok.after(&Door::new())]);
    bed.start(pay_twice, "p", ()).await?;
    bed.skip_backoff("p", "charge").await?;
    bed.ledger().until_called("charge", 2).await?;
    // Attempt 2 dies with its engine; attempt 3 runs in another one, after a cold replay.
    bed.kill_and_restart().await?;
    bed.run_on("p").await?;
    bed.handle(pay_twice, "p").result().await?;
    let events = bed.check_closed(pay_twice, "p").await?;
    let [first, second] = &recorded(&events)[..] else { panic!("two calls: {events:?}") };
    // C1 and C3.
    let attempts =
        |key: &String, numbers: &[u32]| numbers.iter().map(|n| (*n, key.clone())).collect::<Vec<_>>();
    assert_eq!(calls(&bed), [attempts(first, &[1, 2, 3]), attempts(second, &[1])].concat());
    let lives: Vec<u32> = bed.ledger().calls().iter().map(|call| call.life).collect();
    assert_eq!(lives, [1, 1, 2, 2]);
    // C2.
    assert_ne!(first, second);
    // F4: workflow id, run id, event id.
    let Some(run) = bed.client().handle("p").describe().await.ok().map(|run| run.run_id) else {
        panic!("a run")
    };
    assert_eq!(recorded(&events), [format!("p/{run}/2"), format!("p/{run}/4")]);
    // C3: one effect a charge.
    assert_eq!(bed.ledger().happened(), ["charge", "charge"]);
    Ok(())
}

/// The next run after continue-as-new has other keys too; here it is the next run of the same id.
async fn case_06_other_workflows_and_other_runs_have_other_keys(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let mut keys = BTreeSet::new();
    for id in ["p", "q", "p"] {
        let start = bed.client().start(pay_twice, ()).id(id).queue(QUEUE);
        start.id_reuse(IdReusePolicy::AllowDuplicate).await?.result().await?;
        keys.extend(recorded(&bed.check_closed(pay_twice, id).await?));
    }
    assert_eq!(keys.len(), 6);
    assert_eq!(bed.ledger().balance(), 6 * PRICE);
    assert_eq!(calls(&bed).into_iter().map(|(_, key)| key).collect::<BTreeSet<_>>(), keys);
    Ok(())
}

async fn case_06_a_kill_at_any_commit_never_charges_twice(kind: StoreKind) -> TestResult {
    let commits = kill_at_every_commit(async || bed(kind).await, pay_twice, || ()).await?;
    assert_eq!(commits, 3, "one for the start, one for each charge");
    let lost = async || {
        let bed = bed(kind).await?;
        bed.ledger().script("charge", [Reply::LoseReply, Reply::Ok, Reply::LoseReply]);
        Ok(bed)
    };
    kill_at_every_commit(lost, pay_twice, || ()).await?;
    Ok(())
}

async fn case_06_a_key_of_the_users_own_is_the_same_for_every_attempt(kind: StoreKind) -> TestResult {
    let mut bed = bed(kind).await?;
    let stall = || Reply::StallAfter(Door::new());
    // A lost reply, a timeout, a lost worker, an attempt that is handed back, a success.
    bed.ledger().script("charge", [Reply::LoseReply, stall(), stall(), stall()]);
    bed.start(pay_order, "p", 7).await?;
    bed.skip_backoff("p", "charge").await?;
    bed.ledger().until_called("charge", 2).await?;
    bed.advance(secs(5));
    bed.skip_backoff("p", "charge").await?;
    bed.ledger().until_called("charge", 3).await?;
    bed.kill_and_restart().await?;
    bed.skip_backoff("p", "charge").await?;
    bed.ledger().until_called("charge", 4).await?;
    bed.shutdown(Duration::ZERO).await;
    bed.reopen().await?;
    bed.handle(pay_order, "p").result().await?;
    bed.check_closed(pay_order, "p").await?;
    let expected: Vec<_> = (1..=5).map(|attempt| (attempt, "order-7".to_owned())).collect();
    assert_eq!(calls(&bed), expected);
    assert_eq!(bed.ledger().balance(), PRICE);
    Ok(())
}

steadfast_tests::on_stores!(
    case_06_all_attempts_have_one_key_and_the_next_call_has_another,
    case_06_other_workflows_and_other_runs_have_other_keys,
    case_06_a_kill_at_any_commit_never_charges_twice,
    case_06_a_key_of_the_users_own_is_the_same_for_every_attempt,
);
