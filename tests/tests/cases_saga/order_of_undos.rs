//! Case 17: undos run strictly one at a time, in reverse order of scheduling, and the first error stays the cause.

use steadfast::history::{Compensation, Event, EventKind};
use steadfast::prelude::*;
use steadfast::{ActivityOptions, EventId, RunError};
use steadfast_core::exec::Executor;
use steadfast_tests::kit::{
    Bed, Door, Ledger, Reply, ServiceError, StoreKind, TestResult, kill_at_every_commit,
    story_without_markers,
};

/// Steps by name: each has an effect of its own, and its undo names the step and its output.
struct Site(Ledger);

#[activity(module = site)]
impl Site {
    #[activity(compensate = undo)]
    async fn step(&self, ctx: ActivityContext, name: String) -> Result<u64, ServiceError> {
        self.0.act(&ctx, &name, 1).await
    }

    /// A step without an undo: one whose attempt was lost need not be undone.
    #[activity]
    async fn finish(&self, ctx: ActivityContext, name: String) -> Result<u64, ServiceError> {
        self.0.act(&ctx, &name, 0).await
    }

    #[activity]
    async fn undo(&self, ctx: ActivityContext, step: UndoOf<site::step>) -> Result<(), ServiceError> {
        let operation = match step.output {
            Some(output) => format!("undo {} of effect {output}", step.input),
            None => format!("undo {}", step.input),
        };
        self.0.undo(&ctx, &operation, &step.idempotency_key).await
    }
}

fn name(text: &str) -> String {
    text.to_owned()
}

/// s1, s2 twice in a loop, s3 with a nested saga of two steps, then s4, which fails.
#[workflow]
async fn nested(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        site::step(saga, name("s1")).await?;
        for _ in 0..2 {
            site::step(saga, name("s2")).await?;
        }
        site::step(saga, name("s3")).await?;
        saga.saga(async |inner| {
            site::step(inner, name("n1")).await?;
            site::step(inner, name("n2")).await?;
            Ok(())
        })
        .await?;
        site::finish(saga, name("s4")).await?;
        Ok(())
    })
    .await
}

/// Three steps at once, then one that fails.
#[workflow]
async fn parallel(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        try_join!(site::step(saga, name("a")), site::step(saga, name("b")), site::step(saga, name("c")),)?;
        site::finish(saga, name("last")).await?;
        Ok(())
    })
    .await
}

/// Code of the workflow's own among the steps, and a nested saga that fails and is caught.
#[workflow]
async fn mixed(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    ctx.saga(async |saga| {
        saga.on_undo(async |ctx| Ok(site::step(&ctx, name("own 1")).await.map(drop)?));
        site::step(saga, name("s1")).await?;
        saga.on_undo(async |_| Err(WorkflowError::fail("this undo fails")));
        let caught = saga.saga(async |inner| {
            site::step(inner, name("n1")).await?;
            Err::<(), _>(WorkflowError::fail("caught"))
        });
        assert_eq!(caught.await.map_err(|error| error.to_string()), Err(name("caught")));
        site::step(saga, name("s2")).await?;
        site::finish(saga, name("last")).await?;
        Ok(())
    })
    .await
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(nested).workflow(parallel).workflow(mixed).activities(Site(ledger))
    })
    .await?;
    Ok(bed)
}

/// C2: from the first undo on, each is scheduled after the one before has completed.
fn assert_one_at_a_time(events: &[Event]) {
    let story = story_without_markers(events);
    let undos: Vec<&String> = story.iter().skip_while(|line| *line != "ActivityScheduled(undo)").collect();
    let Some((closing, undos)) = undos.split_last() else { panic!("there are no undos") };
    assert_eq!(*closing, "WorkflowFailed");
    for pair in undos.chunks(2) {
        assert_eq!(pair, ["ActivityScheduled(undo)", "ActivityCompleted(undo)"]);
    }
}

/// C3: the error that stopped the saga is the cause, by its type and text, for the client and in the history.
fn assert_declined(result: &Result<(), RunError>, events: &[Event], expected: &Compensation) {
    let Err(RunError::Failed { error, compensation }) = result else { panic!("{result:?}") };
    assert_eq!((error.downcast(), compensation), (Some(ServiceError::Declined), expected));
    assert_eq!(error.to_string(), "card declined");
    let Some(EventKind::WorkflowFailed(failed)) = events.last().map(|event| &event.kind) else {
        panic!("{events:?}")
    };
    let steadfast_core::WorkflowError::Application(failure) = &failed.error else { panic!("{failed:?}") };
    assert_eq!((failure.type_name.as_str(), failure.message.as_str()), ("ServiceError", "card declined"));
}

async fn case_17_undos_run_newest_first_nested_ones_and_repeated_ones_too(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("s4", [Reply::Decline]);
    let run = bed.start(nested, "n", ()).await?;
    let result = run.result().await;
    let events = bed.check_closed(nested, "n").await?;
    // C1 and C4: each undo has the output of its own step; effects are counted from 0.
    assert_eq!(
        bed.ledger().happened(),
        [
            "s1",
            "s2",
            "s2",
            "s3",
            "n1",
            "n2",
            "undo n2 of effect 5",
            "undo n1 of effect 4",
            "undo s3 of effect 3",
            "undo s2 of effect 2",
            "undo s2 of effect 1",
            "undo s1 of effect 0",
        ]
    );
    assert_one_at_a_time(&events);
    assert_declined(&result, &events, &Compensation::Compensated);
    assert_eq!(bed.ledger().balance(), 0);
    Ok(())
}

/// The steps that the undos of a history undo, in order.
fn undone(events: &[Event]) -> Vec<EventId> {
    let undoes = events.iter().filter_map(|event| {
        let EventKind::ActivityScheduled(scheduled) = &event.kind else { return None };
        scheduled.undoes
    });
    undoes.collect()
}

/// C5: for all orders of completion.
async fn case_17_parallel_steps_are_undone_in_reverse_order_of_scheduling(kind: StoreKind) -> TestResult {
    let orders = [
        ["a", "b", "c"],
        ["a", "c", "b"],
        ["b", "a", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["c", "b", "a"],
    ];
    for order in orders {
        let bed = bed(kind).await?;
        let doors = order.map(|step| {
            let door = Door::new();
            bed.ledger().script(step, [Reply::StallAfter(door.clone())]);
            door
        });
        bed.ledger().script("last", [Reply::Decline]);
        let run = bed.start(parallel, "p", ()).await?;
        for step in order {
            bed.ledger().until_effect(step, 1).await?;
        }
        for (index, door) in doors.iter().enumerate() {
            door.open();
            let completed =
                |lines: &[String]| lines.iter().filter(|line| *line == "ActivityCompleted(step)").count();
            bed.gate()
                .until_commits(|commits| {
                    commits.iter().map(|commit| completed(&commit.lines)).sum::<usize>() > index
                })
                .await?;
        }
        let result = run.result().await;
        let events = bed.check_closed(parallel, "p").await?;
        // Scheduled as events 2, 3 and 4.
        assert_eq!(undone(&events), [EventId(4), EventId(3), EventId(2)], "completed in the order {order:?}");
        let happened = bed.ledger().happened();
        let undos: Vec<&str> = happened[3..].iter().filter_map(|undo| undo.get(..6)).collect();
        assert_eq!(undos, ["undo c", "undo b", "undo a"]);
        assert_one_at_a_time(&events);
        assert_declined(&result, &events, &Compensation::Compensated);
        replay_prefix_and_go_on(&events)?;
    }
    Ok(())
}

/// The order is equal at replay: at each beginning of the history, the code issues the commands that follow.
fn replay_prefix_and_go_on(events: &[Event]) -> TestResult {
    for (index, event) in events.iter().enumerate() {
        let mut executor =
            Executor::new(steadfast::__private::definition(parallel), ActivityOptions::default());
        if event.kind.role() != steadfast::history::Role::Input {
            continue;
        }
        executor.replay(&events[..index])?;
        let activation = executor.activate(event.at, event.kind.clone())?;
        let names =
            |events: &[Event]| events.iter().map(|event| (event.id, event.kind.name())).collect::<Vec<_>>();
        let recorded = &events[index..index + activation.events.len()];
        assert_eq!(names(&activation.events), names(recorded));
        assert_eq!(undone(&activation.events), undone(recorded));
    }
    Ok(())
}

async fn case_17_undos_of_the_workflows_own_have_their_place_and_may_fail(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    bed.ledger().script("last", [Reply::Decline]);
    let run = bed.start(mixed, "m", ()).await?;
    let result = run.result().await;
    let events = bed.check_closed(mixed, "m").await?;
    assert_eq!(
        bed.ledger().happened(),
        ["s1", "n1", "undo n1 of effect 1", "s2", "undo s2 of effect 3", "undo s1 of effect 0", "own 1"]
    );
    let Err(RunError::Failed { compensation: Compensation::Failed(failed), .. }) = &result else {
        panic!("{result:?}")
    };
    let failed_undos: Vec<_> = failed.iter().map(|undo| (undo.step, undo.error.as_str())).collect();
    assert_eq!(failed_undos, [(None, "Error: this undo fails")]);
    assert_declined(&result, &events, &Compensation::Failed(failed.clone()));
    Ok(())
}

async fn case_17_a_kill_at_any_commit_keeps_the_order_of_nested_undos(kind: StoreKind) -> TestResult {
    let failing = async |last: &str| {
        let bed = bed(kind).await?;
        bed.ledger().script(last, [Reply::Decline, Reply::Decline]);
        Ok(bed)
    };
    assert_eq!(kill_at_every_commit(async || failing("s4").await, nested, || ()).await?, 14);
    assert_eq!(kill_at_every_commit(async || failing("last").await, mixed, || ()).await?, 9);
    Ok(())
}

steadfast_tests::on_stores!(
    case_17_undos_run_newest_first_nested_ones_and_repeated_ones_too,
    case_17_parallel_steps_are_undone_in_reverse_order_of_scheduling,
    case_17_undos_of_the_workflows_own_have_their_place_and_may_fail,
    case_17_a_kill_at_any_commit_keeps_the_order_of_nested_undos,
);
