//! Nested sagas that go on in a task of their own after the saga around them has ended.

use futures::future::select;

use super::super::SagaScope;
use super::holds::given_up;
use crate::exec::RunContext;
use crate::exec::tests::kit::*;
use crate::failure::Effect;
use crate::history::OperatorDecision;

/// A saga in a task: two steps one after the other. What it comes to is the input of an activity.
fn in_a_task(ctx: &RunContext, around: &SagaScope) {
    let (ctx, nested) = (ctx.clone(), ctx.saga(Some(around)));
    let n = nested.clone();
    drop(ctx.clone().spawn(async move {
        let done = nested.run(async move {
            step(&n, "inner", "undo inner").await?;
            step(&n, "inner two", "undo inner two").await
        });
        let name = match done.await {
            Ok(_) => "inner is ok".to_owned(),
            Err(error) => format!("inner: {error}"),
        };
        call(&ctx, &name).await
    }));
}

#[test]
fn a_saga_that_fails_undoes_what_a_nested_one_in_a_task_has_done_and_lets_it_do_no_more() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let (s, task) = (saga.clone(), ctx.clone());
        let failed = saga.run(async move {
            in_a_task(&task, &s);
            step(&s, "outer", "undo outer").await?;
            step(&s, "outer two", "undo outer two").await
        });
        assert!(failed.await.is_err());
        call(&ctx, "after").await
    }));
    // Scheduled: outer 2, inner 3, inner two 5, outer two 7.
    drive.ok(3, 1).ok(2, 1).declined(7);
    assert!(drive.text().ends_with("8 failed 7\n9 CompensationStarted\n10 cancel 5"), "{}", drive.text());
    drive.cancelled(5, Effect::Unknown);
    let text = drive.text();
    assert!(text.contains("12 scheduled undo inner two to undo 5"), "{text}");
    assert!(text.contains("13 scheduled inner: cancelled"), "{text}");
    drive.ok(12, 0).ok(15, 0).ok(17, 0);
    let text = drive.text();
    assert!(text.contains("15 scheduled undo inner to undo 3"), "{text}");
    assert!(text.contains("17 scheduled undo outer to undo 2"), "{text}");
    drive.ok(20, 0);
    assert!(drive.text().ends_with("Completed 0 Compensated"), "{}", drive.text());
    assert!(!drive.has_undos());
}

#[test]
fn a_nested_saga_whose_steps_were_undone_with_the_one_around_it_does_not_succeed() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let (s, task) = (saga.clone(), ctx.clone());
        let failed = saga.run(async move {
            let nested = task.saga(Some(&s));
            let (n, own) = (nested.clone(), task.clone());
            drop(task.spawn(async move {
                let done = nested.run(async move {
                    step(&n, "inner", "undo inner").await?;
                    sleep(n.context(), 60).await?;
                    n.on_undo(|_| panic!("the saga has ended"));
                    let late = step(&n, "late", "undo late").await.unwrap_err();
                    assert!(late.to_string().contains("the saga has already ended"), "{late}");
                    Ok(1)
                });
                call(&own, &done.await.unwrap_err().to_string()).await
            }));
            call(s.context(), "fails").await
        });
        assert!(failed.await.is_err());
        sleep(&ctx, 100).await.map(|()| 7)
    }));
    drive.ok(3, 1).declined(2);
    let text = drive.text();
    assert!(text.ends_with("7 CompensationStarted\n8 scheduled undo inner to undo 3 with {\"input\":\"inner\",\"output\":1,\"idempotency_key\":\"w/07070707-0707-0707-0707-070707070707/3\",\"effect\":\"done\"}"), "{text}");
    drive.ok(8, 0).fired(5);
    assert!(
        drive.text().ends_with("13 scheduled Error: the saga around this one has failed"),
        "{}",
        drive.text()
    );
    drive.fired(11);
    assert!(drive.text().ends_with("Completed 7 Compensated"), "{}", drive.text());
    assert!(!drive.has_undos());
}

#[test]
fn a_nested_saga_that_outlives_one_that_succeeded_belongs_to_the_next_one_around() {
    for last_fails in [false, true] {
        let mut drive = Drive::start(define(|ctx| async move {
            let outer = ctx.saga(None);
            let o = outer.clone();
            let result = outer.run(async move {
                let middle = o.context().saga(Some(&o));
                let (m, task) = (middle.clone(), o.context().clone());
                middle
                    .run(async move {
                        in_a_task(&task, &m);
                        call(m.context(), "in the middle").await
                    })
                    .await?;
                step(&o, "last", "undo last").await
            });
            let ended = result.await;
            call(&ctx, "after").await?;
            ended
        }));
        // Scheduled: in the middle 2, inner 3, last 5, inner two 7.
        drive.ok(2, 1).ok(3, 1).ok(7, 1);
        assert!(drive.has_undos());
        if last_fails {
            drive.declined(5);
            let text = drive.text();
            assert!(text.contains("scheduled undo inner two to undo 7"), "{text}");
        } else {
            drive.ok(5, 1);
            assert!(!drive.has_undos(), "{}", drive.text());
        }
    }
}

/// A nested saga in a task has succeeded but for a loser, whose undo waits for an operator.
fn held_loser() -> Drive {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let (s, task) = (saga.clone(), ctx.clone());
        let failed = saga.run(async move {
            let nested = task.saga(Some(&s));
            nested.hold_for_operator();
            drop(task.spawn(async move {
                let n = nested.clone();
                let done = nested.run(async move {
                    step(&n, "kept", "undo kept").await?;
                    let (fast, slow) = (step(&n, "fast", "undo fast"), step(&n, "slow", "undo slow"));
                    drop(select(Box::pin(fast), Box::pin(slow)).await);
                    Ok(1)
                });
                drop(done.await);
            }));
            step(&s, "outer", "undo outer").await?;
            call(s.context(), "fails").await
        });
        failed.await
    }));
    // Scheduled: outer 2, kept 3, fast 5, slow 6, undo slow 11.
    drive.ok(3, 1).ok(5, 1).cancelled(6, Effect::Unknown);
    assert!(drive.text().contains("11 scheduled undo slow to undo 6"), "{}", drive.text());
    drive.input(given_up(11, 10));
    assert_eq!(drive.holds().len(), 1, "{:?}", drive.holds());
    drive
}

#[test]
fn what_waits_in_a_nested_saga_keeps_it_from_nothing_that_is_to_be_undone_when_the_one_around_fails() {
    let mut drive = held_loser();
    drive.ok(2, 1).declined(14);
    assert!(drive.text().contains("16 scheduled undo fast to undo 5"), "{}", drive.text());
    assert_eq!(drive.holds().len(), 1);
    drive.ok(16, 0);
    assert!(drive.text().contains("19 scheduled undo kept to undo 3"), "{}", drive.text());
    drive.ok(19, 0);
    assert!(!drive.text().contains("undo outer to"), "it comes after what is further in: {}", drive.text());
    drive.decide(6, OperatorDecision::Skip { reason: "by hand".into() });
    assert!(drive.text().contains("scheduled undo outer to undo 2"), "{}", drive.text());
}
