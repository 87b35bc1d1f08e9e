//! What an operator may decide about an undo that did not succeed.

use steadfast::history::{Compensation, EventKind, FailedUndo};
use steadfast::{HoldKind, UndoState};
use steadfast::{ListFilter, RunStatus};
use steadfast_tests::kit::{Bed, Reply, StoreKind, TestResult, story};

use crate::shop::{CHARGE, ended, held, order, wait};

async fn an_undo_that_failed_is_shown_and_waits(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    let run = bed.handle(order, "o").describe().await?;
    assert_eq!(run.status, RunStatus::Compensating);
    let text = "the undo `refund` of step 4 failed after 1 attempts (ServiceError: card declined); \
                an operator decides: retry, skip, answer";
    assert_eq!(run.attention, [text]);
    assert_eq!(run.undos, [CHARGE], "what is undone is no longer listed");
    let wanting = ListFilter { needs_attention: true, ..ListFilter::default() };
    assert_eq!(bed.client().list(wanting, None, 10).await?.rows.len(), 1);
    bed.advance(std::time::Duration::from_secs(86_400));
    assert_eq!(bed.ledger().calls_of("refund").len(), 1, "nothing is tried again by itself");
    assert_eq!(bed.ledger().happened(), ["reserve", "charge", "release"], "the other undos run first");
    Ok(())
}

async fn a_retry_runs_it_again_under_the_same_key(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    bed.handle(order, "o").operator("ann").retry(CHARGE).await?;
    let (compensation, events) = ended(&bed).await?;
    assert_eq!(compensation, Compensation::Compensated);
    assert_eq!(
        story(&events)[6..],
        [
            "ActivityFailed(ship)",
            "CompensationStarted",
            "ActivityScheduled(refund)",
            "ActivityFailed(refund)",
            "ActivityScheduled(release)",
            "ActivityCompleted(release)",
            "OperatorDecided(charge)",
            "ActivityScheduled(refund)",
            "ActivityCompleted(refund)",
            "CompensationFinished",
            "WorkflowFailed",
        ]
    );
    let calls = bed.ledger().calls_of("refund");
    assert_eq!(calls.iter().map(|call| call.attempt).collect::<Vec<_>>(), [1, 2], "the numbers go on");
    assert_eq!(calls[0].key, calls[1].key);
    assert_eq!(bed.ledger().balance(), 0);
    assert!(bed.handle(order, "o").describe().await?.attention.is_empty());
    Ok(())
}

async fn a_retry_that_fails_waits_again(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    bed.ledger().script("refund", [Reply::Refuse, Reply::Decline]);
    bed.handle(order, "o").operator("ann").retry(CHARGE).await?;
    bed.skip_backoff("o", "refund").await?;
    let holds = wait(&bed, 1).await?;
    let HoldKind::FailedUndo { attempts, .. } = &holds[0].kind else { panic!("{holds:?}") };
    assert_eq!(*attempts, 3);
    bed.handle(order, "o").operator("bob").retry(CHARGE).await?;
    assert_eq!(ended(&bed).await?.0, Compensation::Compensated);
    Ok(())
}

async fn a_skip_says_why_the_step_still_stands(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    bed.handle(order, "o").operator("ann").skip(CHARGE, "refunded by hand").await?;
    let (compensation, events) = ended(&bed).await?;
    let left = FailedUndo {
        step: Some(CHARGE),
        undo: "refund".into(),
        attempts: 1,
        error: "ServiceError: card declined".into(),
        skipped: Some("refunded by hand".into()),
    };
    assert_eq!(compensation, Compensation::Failed(vec![left]));
    let attention = bed.handle(order, "o").describe().await?.attention;
    assert_eq!(attention, ["the undo `refund` of step 4 failed"], "it goes on needing some");
    let who = events.iter().find_map(|event| {
        let EventKind::OperatorDecided(decided) = &event.kind else { return None };
        Some(decided.who.clone())
    });
    assert_eq!(who.as_deref(), Some("ann"));
    assert_eq!(bed.ledger().balance(), 100);
    Ok(())
}

async fn the_report_tells_all_of_it(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    let run = bed.handle(order, "o");
    assert_eq!(run.saga_report().await?[0].finished_at, None);
    run.operator("ann").retry(CHARGE).await?;
    ended(&bed).await?;
    let reports = run.saga_report().await?;
    assert_eq!((reports.len(), reports[0].finished_at.is_some()), (1, true));
    let told: Vec<_> = reports[0]
        .steps
        .iter()
        .map(|step| (step.activity.as_str(), step.calls.len(), step.decisions.len(), step.state))
        .collect();
    assert_eq!(told, [("charge", 2, 1, UndoState::Undone), ("reserve", 1, 0, UndoState::Undone)]);
    let key = bed.ledger().calls_of("charge")[0].key.clone();
    assert_eq!(reports[0].steps[0].idempotency_key.as_str(), key);
    Ok(())
}

async fn an_answer_counts_as_undone(kind: StoreKind) -> TestResult {
    let bed = held(kind).await?;
    bed.handle(order, "o").operator("ann").answer(CHARGE, &()).await?;
    assert_eq!(ended(&bed).await?.0, Compensation::Compensated);
    assert_eq!(bed.ledger().calls_of("refund").len(), 1);
    assert!(bed.handle(order, "o").describe().await?.attention.is_empty());
    Ok(())
}

async fn both_undos_wait(kind: StoreKind) -> TestResult<Bed> {
    let bed = crate::shop::bed(kind).await?;
    bed.ledger().script("refund", [Reply::Decline]);
    bed.ledger().script("release", [Reply::Decline]);
    bed.start(order, "o", ()).await?;
    wait(&bed, 2).await?;
    Ok(bed)
}

async fn several_are_decided_in_any_order(kind: StoreKind) -> TestResult {
    let bed = both_undos_wait(kind).await?;
    let run = bed.handle(order, "o");
    run.operator("ann").retry(crate::shop::RESERVE).await?;
    wait(&bed, 1).await?;
    run.operator("bob").retry(CHARGE).await?;
    assert_eq!(ended(&bed).await?.0, Compensation::Compensated);
    assert_eq!(bed.ledger().happened(), ["reserve", "charge", "release", "refund"]);
    Ok(())
}

steadfast_tests::on_stores!(
    an_undo_that_failed_is_shown_and_waits,
    a_retry_runs_it_again_under_the_same_key,
    a_retry_that_fails_waits_again,
    a_skip_says_why_the_step_still_stands,
    the_report_tells_all_of_it,
    an_answer_counts_as_undone,
    several_are_decided_in_any_order,
);
