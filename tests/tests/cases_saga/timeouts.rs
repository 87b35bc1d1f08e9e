//! Case 5, the neighbours: each of the four timeouts of a step, and steps that lost to another one.

use steadfast::history::{Compensation, EventKind};
use steadfast::prelude::*;
use steadfast::{ActivityOptions, Effect, RunError};
use steadfast_tests::kit::{
    Bed, Door, Ledger, Reply, ServiceError, StoreKind, TestResult, story_without_markers,
};

struct Port(Ledger);

#[activity(module = port)]
impl Port {
    #[activity(compensate = unload, retry(maximum_attempts = 1))]
    async fn load(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "load", 1).await
    }

    #[activity]
    async fn unload(&self, ctx: ActivityContext, step: UndoOf<port::load>) -> Result<(), ServiceError> {
        assert_eq!((step.output, step.effect), (None, Effect::Unknown));
        self.0.undo(&ctx, "unload", &step.idempotency_key).await
    }
}

/// Loads, with one of the timeouts set to two seconds.
#[workflow]
async fn sail(ctx: WorkflowContext, timeout: String) -> Result<u64, WorkflowError> {
    ctx.saga(async |saga| {
        let call = port::load(saga);
        let call = match timeout.as_str() {
            "start-to-close" => call.start_to_close(secs(2)),
            "schedule-to-close" => call.schedule_to_close(secs(2)),
            "schedule-to-start" => call.schedule_to_start(secs(2)),
            _ => call.heartbeat(secs(2)),
        };
        Ok(call.await?)
    })
    .await
}

/// Gives the load one second, and sails all the same.
#[workflow]
async fn hurry(ctx: WorkflowContext, name: String) -> Result<String, WorkflowError> {
    ctx.saga(async |saga| {
        select! {
            loaded = port::load(saga) => loaded.map(|load| format!("{name} with load {load}")).map_err(Into::into),
            late = ctx.sleep(secs(1)) => late.map(|()| format!("{name} without a load")).map_err(Into::into),
        }
    })
    .await
}

async fn bed(kind: StoreKind, has_port: bool) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(move |worker, ledger| {
        let worker = worker.workflow(sail).workflow(hurry).defaults(ActivityOptions::default());
        if has_port { worker.activities(Port(ledger)) } else { worker }
    })
    .await?;
    Ok(bed)
}

async fn case_05_every_timeout_of_an_attempt_that_ran_leaves_the_outcome_unknown(
    kind: StoreKind,
) -> TestResult {
    for timeout in ["start-to-close", "schedule-to-close", "heartbeat"] {
        let bed = bed(kind, true).await?;
        bed.ledger().script("load", [Reply::StallAfter(Door::new())]);
        let run = bed.start(sail, "s", timeout.to_owned()).await?;
        bed.ledger().until_effect("load", 1).await?;
        bed.advance(secs(2));
        let result = run.result().await;
        assert!(matches!(&result, Err(RunError::Failed { compensation: Compensation::Compensated, .. })));
        let events = bed.check_closed(sail, "s").await?;
        assert_eq!(
            story_without_markers(&events)[2..],
            [
                "ActivityTimedOut(load)",
                "ActivityScheduled(unload)",
                "ActivityCompleted(unload)",
                "WorkflowFailed"
            ]
        );
        let EventKind::ActivityTimedOut(timed_out) = &events[2].kind else { panic!("{events:?}") };
        assert_eq!(
            (timed_out.timeout.to_string().as_str(), timed_out.attempts.effect),
            (timeout, Effect::Unknown)
        );
        assert_eq!(bed.ledger().happened(), ["load", "unload"]);
    }
    Ok(())
}

async fn case_05_a_step_that_nobody_began_in_time_is_not_undone(kind: StoreKind) -> TestResult {
    for timeout in ["schedule-to-start", "schedule-to-close"] {
        let bed = bed(kind, false).await?;
        let run = bed.start(sail, "s", timeout.to_owned()).await?;
        bed.advance(secs(2));
        let result = run.result().await;
        assert!(matches!(&result, Err(RunError::Failed { compensation: Compensation::None, .. })));
        let story = story_without_markers(&bed.check_closed(sail, "s").await?);
        assert_eq!(story[2..], ["ActivityTimedOut(load)", "WorkflowFailed"]);
    }
    Ok(())
}

/// A step whose result never reached the code is undone alone, though the saga succeeds.
async fn case_05_a_step_that_lost_a_select_is_awaited_and_undone(kind: StoreKind) -> TestResult {
    let bed = bed(kind, true).await?;
    bed.ledger().script("load", [Reply::StallAfter(Door::new())]);
    let run = bed.start(hurry, "h", "Ada".to_owned()).await?;
    bed.ledger().until_effect("load", 1).await?;
    bed.skip_timer("h").await?;
    bed.gate().until_event("ActivityCancelRequested(load)").await?;
    bed.advance(secs(10));
    assert_eq!(run.result().await?, "Ada without a load");
    assert_eq!(
        story_without_markers(&bed.check_closed(hurry, "h").await?)[3..],
        [
            "TimerFired",
            "ActivityCancelRequested(load)",
            "ActivityCancelled(load)",
            "ActivityScheduled(unload)",
            "ActivityCompleted(unload)",
            "WorkflowCompleted",
        ]
    );
    assert_eq!(bed.ledger().balance(), 0);
    Ok(())
}

steadfast_tests::on_stores!(
    case_05_every_timeout_of_an_attempt_that_ran_leaves_the_outcome_unknown,
    case_05_a_step_that_nobody_began_in_time_is_not_undone,
    case_05_a_step_that_lost_a_select_is_awaited_and_undone,
);
