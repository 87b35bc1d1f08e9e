//! Case 30: trials end in every way, and the breaker never stays half open.

use std::collections::BTreeSet;
use std::time::Duration;

use steadfast::{ActivityState, BreakerState, RunStatus};
use steadfast_tests::kit::{Bed, Door, Reply, StoreKind, TestResult, eventually};

use crate::shop::{CROWD, OPEN, breakers, closed, crowd, opened, script_two, state, two_run, waiting};

const HALF_OPEN: BreakerState = BreakerState::HalfOpen { successes: 0 };

/// Waits until the breaker is open for its whole time from now on.
async fn open_again(bed: &Bed) -> TestResult {
    let expected = BreakerState::Open { until: Some(bed.now().after(OPEN)) };
    eventually("the breaker is open again", async || Ok(state(bed).await? == expected)).await
}

async fn what_waits_uses_no_attempt_and_shows_when_it_is_tried(kind: StoreKind) -> TestResult {
    let bed = opened(kind).await?;
    let all = waiting(&bed).await?;
    assert_eq!(all.len(), CROWD);
    for open in all.values() {
        let (state, next) = (open.state, open.next_attempt_at);
        assert_eq!((state, next), (ActivityState::CircuitOpen, Some(bed.now().after(OPEN))));
        assert_eq!((open.attempt, open.last_failure.as_ref()), (0, None));
    }
    assert_eq!(bed.ledger().calls_of("charge").len(), 5);
    bed.advance(OPEN - Duration::from_micros(1));
    assert_eq!(waiting(&bed).await?, all, "nothing moves before its time");
    Ok(())
}

/// Waits until two of the crowd run, and names them.
async fn two_trials(bed: &Bed) -> TestResult<BTreeSet<String>> {
    let mut trials = BTreeSet::new();
    eventually("two trials run", async || {
        let all = waiting(bed).await?;
        let running = all.into_iter().filter(|(_, open)| open.state == ActivityState::Running);
        trials = running.map(|(id, _)| id).collect();
        assert!(trials.len() <= 2, "{trials:?}");
        Ok(trials.len() == 2)
    })
    .await?;
    Ok(trials)
}

async fn case_30_permits_come_back_after_an_answer_of_the_business_and_a_cancel(
    kind: StoreKind,
) -> TestResult {
    let bed = opened(kind).await?;
    let doors = script_two(&bed, Reply::Decline, Reply::Decline);
    bed.advance(OPEN);
    let declined = two_run(&bed, 0).await?;
    let next = script_two(&bed, Reply::Ok, Reply::Ok);
    doors.iter().for_each(Door::open);
    for id in &declined {
        closed(&bed, id, RunStatus::Failed).await?;
    }
    assert_eq!(state(&bed).await?, HALF_OPEN);
    let cancelled = two_run(&bed, 2).await?;
    bed.ledger().until_called("charge", 9).await?;
    let last = script_two(&bed, Reply::Ok, Reply::Ok);
    for id in &cancelled {
        bed.client().handle(id).cancel().await?;
    }
    bed.advance(Duration::from_secs(1));
    for id in &cancelled {
        closed(&bed, id, RunStatus::Cancelled).await?;
    }
    assert_eq!(state(&bed).await?, HALF_OPEN);
    assert!(two_trials(&bed).await?.is_disjoint(&cancelled.into_iter().collect()));
    drop((next, last));
    Ok(())
}

async fn case_30_a_panic_and_a_timeout_open_it_for_the_whole_time(kind: StoreKind) -> TestResult {
    let bed = opened(kind).await?;
    let doors = script_two(&bed, Reply::Panic, Reply::Ok);
    bed.advance(OPEN);
    let trials = two_run(&bed, 0).await?;
    bed.ledger().until_called("charge", 7).await?;
    doors[0].open();
    open_again(&bed).await?;
    let opened_at = breakers(&bed).await?;
    bed.advance(Duration::from_secs(1));
    doors[1].open();
    eventually("the other trial is over", async || {
        let all = waiting(&bed).await?;
        Ok(trials.iter().all(|id| all.get(id).is_none_or(|open| open.state != ActivityState::Running)))
    })
    .await?;
    assert_eq!(breakers(&bed).await?, opened_at, "what the other one says counts no more");
    let stalled = script_two(&bed, Reply::Ok, Reply::Ok);
    bed.advance(OPEN);
    two_trials(&bed).await?;
    bed.ledger().until_called("charge", 9).await?;
    bed.advance(Duration::from_secs(20));
    open_again(&bed).await?;
    drop(stalled);
    Ok(())
}

async fn case_30_trials_that_die_with_their_worker_make_room_for_others(kind: StoreKind) -> TestResult {
    let mut bed = opened(kind).await?;
    let dying = script_two(&bed, Reply::Ok, Reply::Ok);
    bed.advance(OPEN);
    let died: BTreeSet<String> = two_run(&bed, 0).await?.into_iter().collect();
    bed.ledger().until_called("charge", 7).await?;
    let before = breakers(&bed).await?;
    assert_eq!(before[0].state, HALF_OPEN);
    let last = script_two(&bed, Reply::Ok, Reply::Ok);
    bed.kill_and_restart().await?;
    assert_eq!(breakers(&bed).await?, before, "state and counts are as before the kill");
    let trials = two_trials(&bed).await?;
    assert!(trials.is_disjoint(&died), "{trials:?}");
    bed.ledger().until_called("charge", 9).await?;
    last[0].open();
    let half = BreakerState::HalfOpen { successes: 1 };
    eventually("one success", async || Ok(state(&bed).await? == half)).await?;
    last[1].open();
    let shut = BreakerState::Closed { failures: 0 };
    eventually("it is closed", async || Ok(state(&bed).await? == shut)).await?;
    assert_eq!(breakers(&bed).await?[0].opened, 1);
    for id in crowd().filter(|id| !died.contains(id)) {
        closed(&bed, &id, RunStatus::Completed).await?;
    }
    bed.advance(Duration::from_secs(3_600));
    for id in &died {
        closed(&bed, id, RunStatus::Completed).await?;
    }
    drop(dying);
    Ok(())
}

async fn case_30_one_failed_trial_opens_it_again(kind: StoreKind) -> TestResult {
    let bed = opened(kind).await?;
    let doors = script_two(&bed, Reply::Ok, Reply::Refuse);
    bed.advance(OPEN);
    two_run(&bed, 0).await?;
    doors[0].open();
    eventually("one success", async || Ok(state(&bed).await? == BreakerState::HalfOpen { successes: 1 }))
        .await?;
    doors[1].open();
    open_again(&bed).await?;
    assert_eq!(bed.ledger().calls_of("charge").len(), 7, "nobody else came through");
    Ok(())
}

steadfast_tests::on_stores!(
    what_waits_uses_no_attempt_and_shows_when_it_is_tried,
    case_30_permits_come_back_after_an_answer_of_the_business_and_a_cancel,
    case_30_a_panic_and_a_timeout_open_it_for_the_whole_time,
    case_30_trials_that_die_with_their_worker_make_room_for_others,
    case_30_one_failed_trial_opens_it_again,
);
