use std::sync::Mutex;

use futures::channel::oneshot;

use super::kit::*;
use crate::exec::{Blocked, Executor};
use crate::history::{ActivityCompleted, AttemptSummary, TimerFired};
use crate::id::EventId;
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::time::Timestamp;

fn begin(definition: std::sync::Arc<dyn crate::exec::Definition>) -> Blocked {
    Drive::new(definition).try_input(started()).unwrap_err()
}

#[test]
fn standing_still_with_nothing_durable_pending_is_named() {
    let blocked = begin(define(|_| async move { std::future::pending().await }));
    assert_eq!(blocked, Blocked::Stuck);
}

#[test]
fn a_wake_from_another_thread_is_named() {
    static SENDER: Mutex<Option<oneshot::Sender<u64>>> = Mutex::new(None);
    let definition = define(|ctx| async move {
        let (sender, receiver) = oneshot::channel::<u64>();
        *SENDER.lock().unwrap() = Some(sender);
        let timer = Box::pin(sleep(&ctx, 1));
        futures::future::select(receiver, timer).await;
        call(&ctx, "a").await
    });
    let mut executor = Executor::new(definition, ActivityOptions::default());
    executor.activate(Timestamp::ZERO, started()).unwrap();
    let sender = SENDER.lock().unwrap().take().unwrap();
    std::thread::spawn(move || sender.send(1)).join().unwrap().unwrap();
    let second = executor.activate(Timestamp::ZERO, TimerFired { started: EventId(2) }.into());
    assert_eq!(second, Err(Blocked::ForeignWake));
}

#[test]
fn wakes_between_tasks_of_the_run_are_fine() {
    let mut drive = Drive::start(define(|ctx| async move {
        let (sender, receiver) = oneshot::channel::<u64>();
        let inner = ctx.clone();
        drop(ctx.spawn(async move {
            let value = call(&inner, "a").await.unwrap_or(0);
            let _ = sender.send(value);
        }));
        receiver.await.map_err(|error| failed(&error.to_string()))
    }));
    drive.ok(2, 5);
    assert!(drive.text().ends_with("4 Completed 5 None"), "{}", drive.text());
}

#[test]
fn a_panic_blocks_and_says_why() {
    let blocked = begin(define(|ctx| async move {
        let value = call(&ctx, "a");
        drop(value);
        panic!("no way {}", 7)
    }));
    assert_eq!(blocked.to_string(), "the workflow panicked: no way 7");
    let reactor = "there is no reactor running, must be called from the context of a Tokio 1.x runtime";
    let blocked = Blocked::Panic { message: reactor.to_owned() };
    assert!(blocked.to_string().contains("use `ctx.sleep`"), "{blocked}");
}

#[test]
fn an_input_for_what_is_not_open_is_refused() {
    let mut drive = Drive::start(define(|ctx| async move {
        call(&ctx, "a").await?;
        call(&ctx, "b").await
    }));
    drive.ok(2, 0);
    let attempts =
        AttemptSummary { attempt: 1, begun: Vec::new(), failures: Vec::new(), effect: crate::Effect::Done };
    let twice = ActivityCompleted { scheduled: EventId(2), output: Payload::null(), attempts };
    let blocked = drive.try_input(twice.into()).unwrap_err();
    assert_eq!(
        blocked.to_string(),
        "the history is not well formed: event 5: ActivityCompleted for 2, which is not open"
    );
}
