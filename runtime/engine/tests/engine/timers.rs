//! Timers and clocks.

use std::sync::Arc;

use steadfast_core::exec::Definition;

use crate::kit::*;

fn sleeper(seconds: u64) -> Arc<dyn Definition> {
    workflow("sleeper", move |ctx, input| async move {
        sleep(&ctx, secs(seconds)).await?;
        Ok(input)
    })
}

#[test]
fn a_timer_fires_when_its_time_has_come_and_not_before() {
    let kit = Kit::new();
    kit.worker().workflow(sleeper(60)).start().unwrap();
    kit.start("sleeper", "w", json(1));
    kit.clock.advance(secs(59));
    assert_eq!(kit.describe("w").timers.len(), 1);
    assert_eq!(kit.names("w"), ["WorkflowStarted", "TimerStarted"]);
    kit.clock.advance(secs(1));
    assert_eq!(kit.result("w").result().unwrap(), json(1));
    assert_eq!(kit.names("w"), ["WorkflowStarted", "TimerStarted", "TimerFired", "WorkflowCompleted"]);
}

#[test]
fn a_far_timer_is_found_again_after_a_kill_and_over_many_windows() {
    let kit = Kit::new();
    kit.worker().workflow(sleeper(86_400)).start().unwrap();
    for index in 0..20 {
        kit.start("sleeper", &format!("w-{index}"), json(index));
    }
    let kit = kit.killed();
    kit.worker().workflow(sleeper(86_400)).start().unwrap();
    for _ in 0..1_000 {
        kit.clock.advance(secs(87));
    }
    for index in 0..20 {
        assert_eq!(kit.result(&format!("w-{index}")).result().unwrap(), json(index));
    }
}

#[test]
fn a_wall_clock_timer_follows_the_wall_clock_and_a_duration_does_not() {
    let kit = Kit::new();
    let until = workflow("until", |ctx, input| async move {
        sleep_until(&ctx, at(5_000), true).await?;
        Ok(input)
    });
    kit.worker().workflow(until).workflow(sleeper(4_000)).start().unwrap();
    kit.start("until", "wall", json(1));
    kit.start("sleeper", "engine", json(2));
    kit.clock.set_wall(at(5_000));
    assert_eq!(kit.result("wall").result().unwrap(), json(1));
    assert_eq!(kit.describe("engine").timers.len(), 1);
    kit.clock.set_wall(at(10));
    kit.clock.advance(secs(4_000));
    assert_eq!(kit.result("engine").result().unwrap(), json(2));
}

#[test]
fn a_cancelled_timer_never_fires() {
    let kit = Kit::new();
    let race = workflow("race", |ctx, input| async move {
        use futures::future::{Either, select};
        let short = Box::pin(sleep(&ctx, secs(1)));
        let long = Box::pin(sleep(&ctx, secs(5)));
        match select(short, long).await {
            Either::Left(_) | Either::Right(_) => {}
        }
        sleep(&ctx, secs(10)).await?;
        Ok(input)
    });
    kit.worker().workflow(race).start().unwrap();
    kit.start("race", "w", json(1));
    kit.clock.advance(secs(1));
    kit.eventually("the race is over", |kit| kit.names("w").contains(&"TimerCancelled"));
    kit.clock.advance(secs(20));
    kit.result("w");
    assert_eq!(kit.names("w").iter().filter(|name| **name == "TimerFired").count(), 2);
}

#[test]
fn a_delayed_start_begins_when_its_time_has_come() {
    let kit = Kit::new();
    kit.worker().workflow(sleeper(1)).start().unwrap();
    let mut request = Kit::request("sleeper", "w", json(1));
    request.start_delay = Some(secs(30));
    futures::executor::block_on(kit.client.start(request)).unwrap();
    let described = kit.describe("w");
    assert_eq!((described.starts_at, described.mailbox), (Some(at(1_030)), 1));
    assert!(kit.names("w").is_empty());
    let kit = kit.killed();
    kit.worker().workflow(sleeper(1)).start().unwrap();
    kit.clock.advance(secs(30));
    kit.eventually("it has begun", |kit| kit.names("w").len() == 2);
    kit.clock.advance(secs(1));
    assert_eq!(kit.result("w").result().unwrap(), json(1));
}
