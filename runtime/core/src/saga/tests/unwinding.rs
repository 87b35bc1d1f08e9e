use futures::future::{Either, join, select, try_join};

use crate::exec::tests::kit::*;
use crate::failure::Effect;

#[test]
fn undos_run_newest_first_nested_sagas_and_own_code_included() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let s = saga.clone();
        saga.run(async move {
            step(&s, "s1", "u1").await?;
            s.on_undo(|ctx| {
                Box::pin(async move {
                    assert!(!ctx.is_cancelled());
                    sleep(&ctx, 1).await?;
                    call(&ctx, "own").await.map(|_| ())
                })
            });
            let nested = s.context().saga(Some(&s));
            let n = nested.clone();
            nested
                .run(async move {
                    step(&n, "n1", "v1").await?;
                    step(&n, "n2", "v2").await
                })
                .await?;
            step(&s, "s2", "u2").await
        })
        .await
    }));
    drive.ok(2, 1).ok(4, 2).ok(6, 3).declined(8);
    drive.ok(11, 0).ok(13, 0).fired(15).ok(17, 0).ok(19, 0);
    let text = drive.text();
    let order: Vec<&str> = text
        .lines()
        .skip(9)
        .filter_map(|line| line.split_once(" scheduled "))
        .map(|(_, rest)| &rest[..3])
        .collect();
    assert_eq!(order, ["v2 ", "v1 ", "own", "u1 "], "{text}");
    assert!(text.ends_with("Failed `s2` failed: Declined: no Compensated"), "{text}");
}

#[test]
fn a_cancel_unwinds_in_a_scope_that_it_does_not_reach() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let s = saga.clone();
        saga.run(async move {
            step(&s, "reserve", "release").await?;
            step(&s, "charge", "refund").await?;
            call(s.context(), "ship").await
        })
        .await
    }));
    drive.ok(2, 1).ok(4, 2).cancel().cancelled(6, Effect::Unknown).ok(11, 0).ok(13, 0);
    let text = drive.text();
    assert!(
        text.contains(
            "7 CancelRequested\n8 cancel 6\n9 cancelled 6\n10 CompensationStarted\n11 scheduled refund"
        ),
        "{text}"
    );
    assert!(text.ends_with("15 CompensationFinished undone 2 failed 0\n16 Cancelled Compensated"), "{text}");
}

#[test]
fn siblings_of_a_failed_join_are_cancelled_awaited_and_undone_if_need_be() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let s = saga.clone();
        saga.run(async move {
            let (a, b) = try_join(Box::pin(step(&s, "a", "ua")), Box::pin(step(&s, "b", "ub"))).await?;
            Ok(a + b)
        })
        .await
    }));
    drive.declined(3).ok(2, 5).ok(8, 0);
    drive.check(
        r#"1 WorkflowStarted
         2 scheduled a
         3 scheduled b
         4 failed 3
         5 cancel 2
         6 CompensationStarted
         7 completed 2
         8 scheduled ua to undo 2 with {"input":"a","output":5,"idempotency_key":"w/07070707-0707-0707-0707-070707070707/2","effect":"done"}
         9 completed 8
         10 CompensationFinished undone 1 failed 0
         11 Failed `b` failed: Declined: no Compensated"#,
    );
}

#[test]
fn a_loser_of_a_race_is_undone_alone_when_the_saga_succeeds() {
    let definition = || {
        define(|ctx| async move {
            let saga = ctx.saga(None);
            let s = saga.clone();
            let value = saga
                .run(async move {
                    let first = step(&s, "first", "undo first").await?;
                    let race =
                        select(Box::pin(step(&s, "fast", "uf")), Box::pin(step(&s, "slow", "us"))).await;
                    let won = match race {
                        Either::Left((value, _)) | Either::Right((value, _)) => value?,
                    };
                    Ok(first + won)
                })
                .await?;
            call(&ctx, "after").await?;
            Ok(value)
        })
    };
    let mut drive = Drive::start(definition());
    drive.ok(2, 1).ok(4, 2).cancelled(5, Effect::Unknown).ok(10, 0).ok(13, 0);
    let text = drive.text();
    assert!(
        text.contains("7 cancel 5\n8 cancelled 5\n9 CompensationStarted\n10 scheduled us to undo 5"),
        "{text}"
    );
    assert!(text.ends_with("15 Completed 3 Compensated") && !text.contains("undo first"), "{text}");
    let mut drive = Drive::start(definition());
    drive.ok(2, 1).ok(4, 2).cancelled(5, Effect::None).ok(9, 0);
    assert!(drive.text().ends_with("8 cancelled 5\n9 scheduled after\n10 completed 9\n11 Completed 3 None"));
}

#[test]
fn a_saga_dropped_half_way_unwinds_as_a_task_and_the_run_waits_for_it() {
    let mut drive = Drive::start(define(|ctx| async move {
        let won = {
            let saga = ctx.saga(None);
            let s = saga.clone();
            let body = saga.run(async move {
                step(&s, "s1", "u1").await?;
                step(&s, "s2", "u2").await
            });
            match select(Box::pin(body), Box::pin(sleep(&ctx, 5))).await {
                Either::Left((value, _)) => value?,
                Either::Right((end, _)) => end.map(|()| 77)?,
            }
        };
        Ok(won)
    }));
    drive.ok(2, 1).fired(3).cancelled(5, Effect::Unknown).ok(10, 0).ok(12, 0);
    let text = drive.text();
    assert!(
        text.contains(
            "6 fired 3\n7 cancel 5\n8 CompensationStarted\n9 cancelled 5\n10 scheduled u2 to undo 5"
        ),
        "{text}"
    );
    assert!(
        text.ends_with("14 CompensationFinished undone 2 failed 0\n15 Completed 77 Compensated"),
        "{text}"
    );
}

#[test]
fn steps_after_the_end_of_their_saga_are_refused() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let kept = saga.clone();
        saga.run(async { Ok(1) }).await?;
        let error = step(&kept, "late", "undo").await.unwrap_err();
        assert!(error.to_string().contains("the saga has already ended"), "{error}");
        call(&ctx, "a").await
    }));
    drive.ok(2, 1);
    drive.check("1 WorkflowStarted\n2 scheduled a\n3 completed 2\n4 Completed 1 None");
}

#[test]
fn a_saga_undoes_its_steps_only_after_those_of_a_nested_one_that_was_dropped() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let s = saga.clone();
        saga.run(async move {
            step(&s, "outer", "undo outer").await?;
            let nested = s.context().saga(Some(&s));
            let n = nested.clone();
            let inner = nested.run(async move {
                step(&n, "inner", "undo inner").await?;
                step(&n, "inner two", "undo inner two").await
            });
            try_join(Box::pin(inner), Box::pin(step(&s, "fails", "u"))).await.map(|(a, b)| a + b)
        })
        .await
    }));
    drive.ok(2, 1).ok(4, 2).declined(5);
    let text = drive.text();
    assert!(
        text.ends_with("8 failed 5\n9 cancel 7\n10 CompensationStarted\n11 CompensationStarted"),
        "{text}"
    );
    drive.cancelled(7, Effect::None).ok(13, 0).ok(16, 0);
    let text = drive.text();
    assert!(text.contains("13 scheduled undo inner to undo 4"), "{text}");
    assert!(
        text.contains("15 CompensationFinished undone 1 failed 0\n16 scheduled undo outer to undo 2"),
        "{text}"
    );
    assert!(text.ends_with("Failed `fails` failed: Declined: no Compensated"), "{text}");
}

#[test]
fn steps_of_a_nested_saga_are_undone_in_the_order_of_scheduling_of_all() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let s = saga.clone();
        saga.run(async move {
            let nested = s.context().saga(Some(&s));
            let n = nested.clone();
            let inner = nested.run(async move {
                n.on_undo(|ctx| Box::pin(async move { call(&ctx, "own").await.map(|_| ()) }));
                step(&n, "inner", "undo inner").await?;
                step(&n, "inner two", "undo inner two").await
            });
            let outer = async {
                step(&s, "outer", "undo outer").await?;
                step(&s, "outer two", "undo outer two").await
            };
            let (inner, outer) = join(inner, outer).await;
            inner?;
            outer?;
            step(&s, "fails", "u").await
        })
        .await
    }));
    // Scheduled: inner 2, outer 3, outer two 5, inner two 7.
    drive.ok(3, 1).ok(2, 1).ok(5, 1).ok(7, 1).declined(10);
    drive.ok(13, 0).ok(15, 0).ok(17, 0).ok(19, 0).ok(21, 0);
    let text = drive.text();
    let order: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("CompensationStarted"))
        .filter_map(|line| line.split_once(" scheduled "))
        .map(|(_, rest)| rest.split(" to undo").next().unwrap_or_default())
        .collect();
    assert_eq!(order, ["undo inner two", "undo outer two", "undo outer", "undo inner", "own"], "{text}");
    assert!(text.ends_with("Failed `fails` failed: Declined: no Compensated"), "{text}");
}

/// A saga that is dropped unwinds in the one that is still there, however many between them had nothing to undo.
#[test]
fn a_saga_waits_also_for_one_that_unwinds_further_in() {
    for between_succeeds in [false, true] {
        let mut drive = Drive::start(define(move |ctx| async move {
            let saga = ctx.saga(None);
            let s = saga.clone();
            saga.run(async move {
                step(&s, "outer", "undo outer").await?;
                let between = s.context().saga(Some(&s));
                let b = between.clone();
                let inside = between.run(async move {
                    let nested = b.context().saga(Some(&b));
                    let n = nested.clone();
                    let inner = nested.run(async move { step(&n, "inner", "undo inner").await });
                    let race = select(Box::pin(inner), Box::pin(call(b.context(), "fast"))).await;
                    let Either::Right((Ok(won), _)) = race else { unreachable!("the call wins") };
                    if between_succeeds { Ok(won) } else { Err(failed("no")) }
                });
                inside.await?;
                Err::<u64, _>(failed("no"))
            })
            .await
        }));
        drive.ok(2, 1).ok(5, 1);
        let text = drive.text();
        assert!(
            text.ends_with("6 completed 5\n7 cancel 4\n8 CompensationStarted\n9 CompensationStarted"),
            "{text}"
        );
        drive.ok(4, 1).ok(11, 0).ok(14, 0);
        let text = drive.text();
        assert!(text.contains("11 scheduled undo inner to undo 4"), "{text}");
        assert!(
            text.contains("13 CompensationFinished undone 1 failed 0\n14 scheduled undo outer"),
            "{text}"
        );
    }
}
