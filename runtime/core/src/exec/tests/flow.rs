use futures::future::{Either, join, select};

use super::kit::*;
use crate::exec::Executor;
use crate::history::to_json;
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::time::Timestamp;

#[test]
fn sequential_activities_are_one_command_an_input() {
    let mut drive =
        Drive::start(define(|ctx| async move { Ok(call(&ctx, "a").await? + call(&ctx, "b").await?) }));
    drive.ok(2, 1).ok(4, 2);
    drive.check(
        "1 WorkflowStarted
         2 scheduled a
         3 completed 2
         4 scheduled b
         5 completed 4
         6 Completed 3 None",
    );
}

#[test]
fn branches_go_on_in_the_order_in_which_their_results_came() {
    for (first, second) in [(2, 3), (3, 2)] {
        let mut drive = Drive::start(define(|ctx| async move {
            let one = async {
                call(&ctx, "a1").await.map(|_| ())?;
                call(&ctx, "a2").await
            };
            let two = async {
                call(&ctx, "b1").await.map(|_| ())?;
                call(&ctx, "b2").await
            };
            let (one, two) = join(one, two).await;
            Ok(one? * 10 + two?)
        }));
        drive.ok(first, 0).ok(second, 0);
        let second_names = if first == 2 { ["a2", "b2"] } else { ["b2", "a2"] };
        assert!(drive.text().contains(&format!("5 scheduled {}", second_names[0])), "{}", drive.text());
        assert!(drive.text().contains(&format!("7 scheduled {}", second_names[1])), "{}", drive.text());
    }
}

#[test]
fn the_loser_of_a_race_is_cancelled_and_a_fired_timer_is_not() {
    let race = || {
        define(|ctx| async move {
            let won = {
                let work = Box::pin(call(&ctx, "slow"));
                let limit = Box::pin(sleep(&ctx, 10));
                match select(work, limit).await {
                    Either::Left((value, _)) => value?,
                    Either::Right((end, _)) => end.map(|()| 99)?,
                }
            };
            call(&ctx, "after").await?;
            Ok(won)
        })
    };
    let mut drive = Drive::start(race());
    drive.fired(3).ok(6, 0);
    drive.check(
        "1 WorkflowStarted
         2 scheduled slow
         3 timer due 11
         4 fired 3
         5 cancel 2
         6 scheduled after
         7 completed 6
         8 Completed 99 None",
    );
    let mut drive = Drive::start(race());
    drive.ok(2, 5);
    drive.check(
        "1 WorkflowStarted
         2 scheduled slow
         3 timer due 11
         4 completed 2
         5 timer cancelled 3
         6 scheduled after",
    );
}

#[test]
fn spawned_tasks_run_in_order_of_wake_and_end_with_the_main_function() {
    let mut drive = Drive::start(define(|ctx| async move {
        let inner = ctx.clone();
        let task = ctx.spawn(async move { call(&inner, "in task").await });
        let lost = ctx.clone();
        drop(ctx.spawn(async move { call(&lost, "never awaited").await }));
        call(&ctx, "in main").await?;
        task.await
    }));
    drive.ok(2, 0).ok(3, 7);
    drive.check(
        "1 WorkflowStarted
         2 scheduled in main
         3 scheduled in task
         4 scheduled never awaited
         5 completed 2
         6 completed 3
         7 cancel 4
         8 Completed 7 None",
    );
}

#[test]
fn a_side_effect_is_computed_once_and_random_numbers_are_the_same_at_replay() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let definition = define(|ctx| async move {
        let value = ctx.side_effect(std::panic::Location::caller(), || {
            Payload::json(&CALLS.fetch_add(1, Ordering::Relaxed)).unwrap()
        });
        let random = ctx.random_u64();
        let uuid = ctx.uuid();
        call(&ctx, "a").await?;
        assert_eq!(uuid.get_version_num(), 4);
        Ok(value.decode::<u64>().unwrap() + (random & 1))
    });
    let mut live = Executor::new(definition.clone(), ActivityOptions::default());
    let at = Timestamp::from_micros(1);
    let history = live.activate(at, started()).unwrap().events;
    for _ in 0..3 {
        let mut again = Executor::new(definition.clone(), ActivityOptions::default());
        again.replay(&history).unwrap();
    }
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
}

#[test]
fn what_is_too_large_or_too_many_is_refused_before_anything_is_recorded() {
    let mut drive = Drive::start(define(|ctx| async move {
        let error = call(&ctx, &"x".repeat(999)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{0}` failed: input of `{0}` is 1001 bytes, the limit is 1000", "x".repeat(999)),
        );
        let calls: Vec<_> = (0..50).map(|_| Box::pin(call(&ctx, "many"))).collect();
        let all = futures::future::join_all(calls);
        let more = async {
            let error = call(&ctx, "one more").await.unwrap_err();
            assert!(error.to_string().contains("50 activities are open already, the limit is 50"), "{error}");
            Ok(1)
        };
        join(all, more).await.1
    }));
    assert_eq!(drive.history.len(), 51);
    for id in 2..=51 {
        drive.ok(id, 0);
    }
    assert!(drive.text().ends_with("102 Completed 1 None"), "{}", drive.text());
}

#[test]
fn a_history_survives_json_and_the_stored_form() {
    let mut drive = Drive::start(define(|ctx| async move {
        let saga = ctx.saga(None);
        let inside = saga.clone();
        saga.run(async move {
            step(&inside, "book", "unbook").await?;
            sleep(inside.context(), 5).await?;
            step(&inside, "pay", "repay").await
        })
        .await
    }));
    drive.ok(2, 1).fired(4).timed_out(6).ok(9, 0).ok(11, 0);
    let json = to_json(&drive.history).unwrap();
    assert_eq!(crate::history::from_json(&json).unwrap(), drive.history);
    let bytes = crate::encode_events(&drive.history).unwrap();
    assert_eq!(crate::decode_events(&bytes).unwrap(), drive.history);
}
