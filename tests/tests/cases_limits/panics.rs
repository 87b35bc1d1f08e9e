//! Case 16: a panic in an activity is the end of its attempt and of nothing else.

use anyhow::ensure;
use steadfast::history::{ActivityFailed, Event, EventKind};
use steadfast::prelude::*;
use steadfast::{AttemptError, Effect, LastError};
use steadfast_tests::kit::{Bed, Door, Ledger, StoreKind, TestResult, story_without_markers};

use crate::bombs::{Bomb, How};
use crate::support::next_attempt;

const OTHERS: usize = 20;

/// Activities of an engine; the steady ones wait until the door is open.
struct Desk {
    ledger: Ledger,
    door: Door,
}

#[activity(module = desk)]
impl Desk {
    /// Panics in each of its attempts.
    #[activity(retry(initial_interval = "1s", maximum_attempts = 3))]
    async fn explode(&self, ctx: ActivityContext, how: How) -> Result<Bomb, AnyFailure> {
        self.ledger.act(&ctx, "explode", 0).await?;
        how.go_off(&ctx).await
    }

    #[activity]
    async fn steady(&self, ctx: ActivityContext, number: usize) -> Result<usize, AnyFailure> {
        self.ledger.act(&ctx, "steady", 1).await?;
        self.door.pass().await;
        Ok(number)
    }

    /// Leaves behind a task that panics.
    #[activity]
    async fn detach(&self) -> Result<(), AnyFailure> {
        let (told, ended) = tokio::sync::oneshot::channel::<()>();
        drop(tokio::spawn(async move {
            let _told = told;
            panic!("nobody awaits this");
        }));
        // The channel closes while the panic unwinds the task.
        drop(ended.await);
        Ok(())
    }
}

/// The message of the panic after which the activity was given up.
#[workflow]
async fn among_others(ctx: WorkflowContext, how: How) -> Result<String, WorkflowError> {
    let others = join_all((0..OTHERS).map(|number| desk::steady(&ctx, number)));
    let (exploded, others) = join!(desk::explode(&ctx, how), others);
    for (number, other) in others.into_iter().enumerate() {
        if other? != number {
            return Err(WorkflowError::fail("another's result"));
        }
    }
    let message = match exploded {
        Err(ActivityError::Exhausted { last: LastError::Panic { message }, attempts: 3, .. }) => message,
        other => return Err(WorkflowError::fail(format!("{other:?}"))),
    };
    desk::steady(&ctx, OTHERS).await?;
    Ok(message)
}

/// As many slots as activities at a time: a slot that leaks is missed by the next run.
async fn bed(kind: StoreKind, door: &Door) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    let door = door.clone();
    bed.serve(move |worker, ledger| {
        let desk = Desk { ledger, door: door.clone() };
        worker.workflow(among_others).workflow(detaching).activities(desk).slots(OTHERS + 1)
    })
    .await?;
    Ok(bed)
}

/// The failures of the activity that was given up.
fn given_up(events: &[Event]) -> Vec<&ActivityFailed> {
    let failed = events.iter().filter_map(|event| {
        if let EventKind::ActivityFailed(failed) = &event.kind { Some(failed) } else { None }
    });
    failed.collect()
}

async fn check_one(bed: &Bed, door: &Door, id: &str, how: How) -> TestResult {
    let before = bed.ledger().calls_of("explode").len();
    let run = bed.start(among_others, id, how).await?;
    for _ in 0..2 {
        next_attempt(bed, id, "explode").await?;
    }
    bed.until_described(id, "it is given up", |run| run.activities.iter().all(|open| open.name != "explode"))
        .await?;
    ensure!(run.describe().await?.activities.len() == OTHERS, "the others still run");
    ensure!(bed.engine().slots_in_use() == OTHERS, "the slot is free again");
    door.open();
    let told = run.result().await?;
    ensure!(how.is_told(&told), "{how:?}: {told:?}");
    let events = bed.check_closed(among_others, id).await?;
    let given_up = given_up(&events);
    let [failed] = given_up.as_slice() else { anyhow::bail!("{given_up:?}") };
    let attempts = &failed.attempts;
    ensure!(failed.exhausted && attempts.attempt == 3 && attempts.failures.len() == 3, "{failed:?}");
    for failure in &attempts.failures {
        let AttemptError::Panic { message } = &failure.error else { anyhow::bail!("{failure:?}") };
        ensure!(how.is_told(message), "{how:?}: {message:?}");
    }
    ensure!(attempts.effect == Effect::Unknown, "a panic says nothing of what happened");
    ensure!(bed.ledger().calls_of("explode").len() == before + 3, "three attempts");
    let completed =
        story_without_markers(&events).iter().filter(|line| *line == "ActivityCompleted(steady)").count();
    ensure!(completed == OTHERS + 1);
    ensure!(bed.engine().slots_in_use() == 0, "all slots are free");
    Ok(())
}

async fn case_16_a_panic_ends_its_attempt_and_nothing_else(kind: StoreKind) -> TestResult {
    for how in How::ALL {
        let door = Door::new();
        let bed = bed(kind, &door).await?;
        check_one(&bed, &door, "first", how).await?;
        // The same slots again.
        let again = bed.start(among_others, "second", how).await?;
        for _ in 0..2 {
            next_attempt(&bed, "second", "explode").await?;
        }
        assert!(how.is_told(&again.result().await?));
        assert_eq!(bed.engine().slots_in_use(), 0);
    }
    Ok(())
}

#[workflow]
async fn detaching(ctx: WorkflowContext) -> Result<usize, WorkflowError> {
    desk::detach(&ctx).await?;
    Ok(desk::steady(&ctx, 7).await?)
}

async fn case_16_a_panic_in_a_task_that_nobody_awaits_ends_nothing(kind: StoreKind) -> TestResult {
    let door = Door::new();
    door.open();
    let bed = bed(kind, &door).await?;
    assert_eq!(bed.start(detaching, "d", ()).await?.result().await?, 7);
    let events = bed.check_closed(detaching, "d").await?;
    let expected = [
        "WorkflowStarted",
        "ActivityScheduled(detach)",
        "ActivityCompleted(detach)",
        "ActivityScheduled(steady)",
        "ActivityCompleted(steady)",
        "WorkflowCompleted",
    ];
    assert_eq!(story_without_markers(&events), expected);
    Ok(())
}

steadfast_tests::on_stores!(
    case_16_a_panic_ends_its_attempt_and_nothing_else,
    case_16_a_panic_in_a_task_that_nobody_awaits_ends_nothing,
);
