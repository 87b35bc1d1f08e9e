//! Case 38: the wall clock is set while engines run, or while none does. What takes a time takes that time.

use anyhow::ensure;
use steadfast::history::{Event, EventKind};
use steadfast::prelude::*;
use steadfast::{EngineClock as _, EngineConfig, RunError, Timestamp};
use steadfast_tests::kit::{
    Bed, ClaimAnswer, Crew, Door, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult, story,
};

use crate::support::LEASE;

const ID: &str = "w";
const HOUR: Duration = Duration::from_secs(3_600);
const MOMENT: Duration = Duration::from_micros(1);

/// Where the clock is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Back(Duration),
    Forward(Duration),
    To(Timestamp),
}

/// An hour each way, and as far as it goes.
const SETS: [Set; 4] =
    [Set::Back(HOUR), Set::Forward(HOUR), Set::To(Timestamp::ZERO), Set::To(Timestamp::MAX)];

impl Set {
    fn applied(self, wall: Timestamp) -> Timestamp {
        match self {
            Self::Back(by) => {
                Timestamp::from_micros(wall.as_micros() - Timestamp::ZERO.after(by).as_micros())
            }
            Self::Forward(by) => wall.after(by),
            Self::To(at) => at,
        }
    }

    fn on(self, bed: &Bed) {
        bed.clock().set_wall(self.applied(bed.clock().wall()));
    }
}

struct Clocked(Ledger);

#[activity(module = clocked)]
impl Clocked {
    /// Fails when and as often as it is told.
    #[activity(retry(initial_interval = "3s", backoff_coefficient = 1.0, jitter = 0.0))]
    async fn flaky(&self, ctx: ActivityContext) -> Result<(), ServiceError> {
        self.0.act(&ctx, "flaky", 1).await.map(drop)
    }

    #[activity(start_to_close = "25s", retry(maximum_attempts = 1))]
    async fn long(&self, ctx: ActivityContext) -> Result<(), ServiceError> {
        self.0.act(&ctx, "long", 1).await.map(drop)
    }

    #[activity(
        schedule_to_close = "40s",
        retry(initial_interval = "3s", maximum_interval = "3s", jitter = 0.0)
    )]
    async fn hopeless(&self, ctx: ActivityContext) -> Result<(), ServiceError> {
        self.0.act(&ctx, "hopeless", 1).await.map(drop)
    }
}

/// A timer of a minute, an activity that fails, and one of 20 seconds that begins after 20 seconds. What the code saw
/// of the time, in the order in which it saw it.
#[workflow]
async fn three(ctx: WorkflowContext) -> Result<Vec<Timestamp>, WorkflowError> {
    let seen = std::cell::RefCell::new(vec![ctx.now()]);
    let timer = async {
        ctx.sleep(minutes(1)).await?;
        seen.borrow_mut().push(ctx.now());
        Ok::<_, WorkflowError>(())
    };
    let flaky = async {
        clocked::flaky(&ctx).await?;
        seen.borrow_mut().push(ctx.now());
        Ok::<_, WorkflowError>(())
    };
    let long = async {
        ctx.sleep(secs(20)).await?;
        clocked::long(&ctx).await?;
        seen.borrow_mut().push(ctx.now());
        Ok::<_, WorkflowError>(())
    };
    let (timer, flaky, long) = join!(timer, flaky, long);
    timer.and(flaky).and(long)?;
    Ok(seen.into_inner())
}

/// Sleeps for so many seconds.
#[workflow]
async fn nap(ctx: WorkflowContext, seconds: u64) -> Result<(), WorkflowError> {
    Ok(ctx.sleep(secs(seconds)).await?)
}

/// Sleeps until a point in time.
#[workflow]
async fn alarm(ctx: WorkflowContext, at: Timestamp) -> Result<(), WorkflowError> {
    Ok(ctx.sleep_until(at).await?)
}

#[workflow]
async fn try_on(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(clocked::hopeless(&ctx).await?)
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::with(kind, |config| EngineConfig { lease: LEASE, ..config }).await?;
    bed.serve(|worker, ledger| {
        let worker = worker.workflow(three).workflow(nap).workflow(alarm).workflow(try_on);
        worker.activities(Clocked(ledger))
    })
    .await?;
    Ok(bed)
}

fn fired(events: &[Event]) -> Vec<Timestamp> {
    let fired = events.iter().filter(|event| matches!(event.kind, EventKind::TimerFired(_)));
    fired.map(|event| event.at).collect()
}

/// C1 to C3 in a live engine, whose clock is set after 30 seconds.
async fn live(kind: StoreKind, set: Set) -> TestResult {
    let bed = bed(kind).await?;
    let (failing, ending) = (Door::new(), Door::new());
    bed.ledger().script("flaky", [Reply::Refuse.after(&failing)]);
    bed.ledger().script("long", [Reply::StallAfter(ending.clone())]);
    let began = bed.now();
    let run = bed.start(three, ID, ()).await?;
    bed.ledger().until_called("flaky", 1).await?;
    bed.advance(secs(20));
    bed.ledger().until_effect("long", 1).await?;
    bed.advance(secs(10));
    set.on(&bed);
    // C2: the wait for the next attempt begins after the step.
    failing.open();
    bed.gate().until_commits(|commits| commits.len() >= 3).await?;
    bed.until_described(ID, "it waits", |run| {
        run.activities.iter().any(|open| open.next_attempt_at.is_some())
    })
    .await?;
    bed.advance(secs(3) - MOMENT);
    ensure!(bed.ledger().calls_of("flaky").len() == 1, "{set:?}: tried again too early");
    bed.advance(MOMENT);
    bed.ledger().until_called("flaky", 2).await?;
    bed.advance(secs(7));
    ending.open();
    bed.until_described(ID, "nothing but the timer is open", |run| run.activities.is_empty()).await?;
    // C1
    bed.advance(secs(20) - MOMENT);
    ensure!(run.describe().await?.timers.len() == 1, "{set:?}: the timer fired too early");
    bed.advance(MOMENT);
    let seen = run.result().await?;
    let events = bed.check_closed(three, ID).await?;
    assert_eq!(fired(&events), [began.after(secs(20)), began.after(secs(60))], "{set:?}");
    let calls = bed.ledger().calls();
    let calls: Vec<_> = calls.iter().map(|call| (call.operation.as_str(), call.at.since(began))).collect();
    assert_eq!(calls, [("flaky", secs(0)), ("long", secs(20)), ("flaky", secs(33))], "{set:?}");
    // C3
    ensure!(seen.is_sorted() && seen.last() == Some(&began.after(secs(60))), "{set:?}: {seen:?}");
    ensure!(events.is_sorted_by_key(|event| event.at), "{set:?}");
    Ok(())
}

async fn case_38_a_step_of_the_clock_does_nothing_to_what_takes_a_time(kind: StoreKind) -> TestResult {
    for set in SETS {
        live(kind, set).await?;
    }
    Ok(())
}

/// Every other limit: of an attempt, of an activity, of a run, of a start that is delayed.
async fn case_38_a_step_of_the_clock_moves_no_limit(kind: StoreKind) -> TestResult {
    for set in SETS {
        let bed = bed(kind).await?;
        bed.ledger().script("long", [Reply::Ok.after(&Door::new())]);
        bed.ledger().script("hopeless", vec![Reply::Refuse; 20]);
        let (client, began) = (bed.client(), bed.now());
        let three = bed.start(three, "attempt", ()).await?;
        let try_on = bed.start(try_on, "activity", ()).await?;
        let limited = client.start(nap, 7_200).id("run").queue(QUEUE).run_timeout(secs(40)).await?;
        let delayed = client.start(nap, 0).id("delayed").queue(QUEUE).start_delay(secs(40)).await?;
        bed.advance(secs(20));
        bed.ledger().until_called("long", 1).await?;
        set.on(&bed);
        bed.advance(secs(20) - MOMENT);
        ensure!(limited.describe().await?.status.is_open(), "{set:?}: the run ended too early");
        ensure!(delayed.history().await?.is_empty(), "{set:?}: the run began too early");
        bed.advance(MOMENT);
        let ended = limited.result().await;
        ensure!(matches!(ended, Err(RunError::TimedOut { .. })), "{set:?}: {ended:?}");
        delayed.result().await?;
        bed.advance(secs(5) - MOMENT);
        ensure!(three.describe().await?.activities.len() == 1, "{set:?}: the attempt ended too early");
        bed.advance(MOMENT);
        bed.until_described("attempt", "it has ended", |run| run.activities.is_empty()).await?;
        bed.run_on("attempt").await?;
        let timed_out =
            three.history().await?.into_iter().find(|event| event.kind.name() == "ActivityTimedOut");
        ensure!(timed_out.is_some_and(|event| event.at == began.after(secs(45))), "{set:?}");
        ensure!(try_on.result().await.is_err(), "{set:?}");
        for (id, closed) in
            [("run", 40..=40), ("delayed", 40..=40), ("attempt", 60..=60), ("activity", 37..=45)]
        {
            let at = client.handle(id).describe().await?.closed_at.unwrap_or_default().since(began);
            ensure!(closed.contains(&at.as_secs()), "{set:?}: {id} closed after {at:?}");
        }
    }
    Ok(())
}

/// The clock of one of two engines is set: neither gains nor loses a lease by it.
async fn case_38_a_step_of_the_clock_costs_no_lease(kind: StoreKind) -> TestResult {
    for set in SETS {
        let mut crew =
            Crew::new(kind, LEASE, |worker, ledger| worker.workflow(three).activities(Clocked(ledger)))?;
        crew.open("P1").await?;
        crew.open("P2").await?;
        let door = Door::new();
        crew.ledger().script("long", [Reply::StallAfter(door.clone())]);
        let run = crew.client("P1").start(three, ()).id(ID).queue(QUEUE).await?;
        crew.pass(secs(20)).await?;
        crew.ledger().until_effect("long", 1).await?;
        for name in ["P1", "P2"] {
            crew.pass(secs(5)).await?;
            let clock = crew.clock(name);
            clock.set_wall(set.applied(clock.wall()));
            crew.pass(secs(5)).await?;
        }
        door.open();
        crew.gate("P1").until_event("ActivityCompleted(long)").await?;
        crew.pass(secs(20)).await?;
        run.result().await?;
        crew.check_closed("P1", three, ID).await?;
        assert_eq!(crew.ledger().calls().len(), 2, "{set:?}");
        let claims = crew.gate("P2").claims();
        ensure!(claims.iter().all(|claim| matches!(claim.answer, ClaimAnswer::Held(_))), "{set:?}");
    }
    Ok(())
}

/// An alarm follows the wall clock, looked at every second, also if its run has long left memory.
async fn case_38_an_alarm_follows_the_clock(kind: StoreKind) -> TestResult {
    for is_dormant in [false, true] {
        let mut bed = bed(kind).await?;
        let at = bed.now().after(HOUR * 10);
        bed.start(alarm, ID, at).await?;
        bed.start(nap, "beside", 36_000).await?;
        if is_dormant {
            bed.kill_and_restart().await?;
            // Answered when everything that has something to do was read.
            ensure!(bed.client().handle("nobody").describe().await.is_err());
        }
        bed.clock().set_wall(at.after(HOUR));
        bed.advance(secs(1));
        // Nobody asks for the run meanwhile: that would bring it back into memory.
        bed.gate().until_event("TimerFired").await?;
        bed.handle(alarm, ID).result().await?;
        assert_eq!(
            story(&bed.check_closed(alarm, ID).await?).last().map(String::as_str),
            Some("WorkflowCompleted")
        );
        ensure!(
            bed.handle(nap, "beside").describe().await?.status.is_open(),
            "a duration followed the clock"
        );
        // Set back it waits until the clock shows the time, however much time passes.
        let at = bed.clock().wall().after(secs(10));
        bed.start(alarm, "later", at).await?;
        bed.clock().set_wall(Set::Back(HOUR).applied(bed.clock().wall()));
        if is_dormant {
            bed.kill_and_restart().await?;
        }
        bed.advance(HOUR);
        ensure!(
            bed.handle(alarm, "later").describe().await?.status.is_open(),
            "the alarm went off too early"
        );
        bed.advance(secs(11));
        bed.handle(alarm, "later").result().await?;
        bed.check_closed(alarm, "later").await?;
    }
    Ok(())
}

/// A kill while the clock is wrong: the next engine goes on as if it were right.
async fn case_38_an_engine_that_is_opened_beside_a_wrong_clock_goes_on(kind: StoreKind) -> TestResult {
    for set in SETS {
        let mut bed = bed(kind).await?;
        let began = bed.now();
        bed.start(nap, ID, 60).await?;
        bed.advance(secs(30));
        set.on(&bed);
        bed.kill_and_restart().await?;
        bed.advance(secs(30) - MOMENT);
        ensure!(bed.handle(nap, ID).describe().await?.status.is_open(), "{set:?}: too early");
        bed.advance(MOMENT);
        bed.handle(nap, ID).result().await?;
        assert_eq!(fired(&bed.check_closed(nap, ID).await?), [began.after(secs(60))], "{set:?}");
    }
    Ok(())
}

steadfast_tests::on_stores!(
    case_38_a_step_of_the_clock_does_nothing_to_what_takes_a_time,
    case_38_a_step_of_the_clock_moves_no_limit,
    case_38_a_step_of_the_clock_costs_no_lease,
    case_38_an_alarm_follows_the_clock,
    case_38_an_engine_that_is_opened_beside_a_wrong_clock_goes_on,
);
