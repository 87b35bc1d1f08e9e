use std::time::Duration;

use super::*;
use crate::failure::{ApplicationFailure, AttemptError, Disposition, Effect, TimeoutKind};
use crate::history::EventKind;
use crate::id::{ActivityName, EventId, QueueName, SessionId};
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::retry::RetryPolicy;
use crate::time::Timestamp;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn task(options: ActivityOptions) -> Task {
    let queue = QueueName::new("q").unwrap();
    let scheduled = crate::history::ActivityScheduled {
        activity: ActivityName::new("charge").unwrap(),
        undoes: None,
        input: Payload::null(),
        idempotency_key: crate::id::IdempotencyKey::new("w/r/2").unwrap(),
        attempts_before: 0,
        options: options.settle(&queue, false),
        saga: None,
        compensate: None,
        call_site: crate::history::CallSite { file: "f.rs".into(), line: 1 },
    };
    Task::activity(EventId(2), at(100), &scheduled)
}

fn limits() -> ActivityOptions {
    ActivityOptions {
        start_to_close: Some(secs(10)),
        schedule_to_start: Some(secs(20)),
        schedule_to_close: Some(secs(60)),
        heartbeat: Some(secs(4)),
        retry: Some(RetryPolicy::exponential(secs(2)).jitter(0.0).maximum_attempts(3)),
        ..ActivityOptions::default()
    }
}

fn granted(seconds: u64) -> TaskEvent {
    TaskEvent::Granted { session: SessionId(7), at: at(seconds) }
}

fn ended(attempt: u32, result: Result<Payload, AttemptError>, seconds: u64) -> TaskEvent {
    TaskEvent::Ended { attempt, result, at: at(seconds), draw: 0.5 }
}

fn tick(seconds: u64) -> TaskEvent {
    TaskEvent::Tick { at: at(seconds), draw: 0.5 }
}

fn application(disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "Bank".into(),
        message: "no".into(),
        causes: Vec::new(),
        disposition,
        details: None,
    }))
}

fn retryable() -> AttemptError {
    application(Disposition::Retryable { after: None, no_effect: false })
}

/// A task in each state that there is.
fn states() -> Vec<(&'static str, Task)> {
    let pending = task(limits());
    let mut running = pending.clone();
    running.apply(granted(101)).unwrap();
    let mut waiting = running.clone();
    waiting.apply(ended(1, Err(retryable()), 102)).unwrap();
    let mut again = waiting.clone();
    assert!(again.apply(tick(104)).unwrap().ready);
    let mut stopping = running.clone();
    stopping.apply(TaskEvent::CancelRequested { at: at(102) }).unwrap();
    vec![
        ("pending", pending),
        ("running", running),
        ("waiting", waiting),
        ("again", again),
        ("stopping", stopping),
    ]
}

#[test]
fn every_state_meets_every_event() {
    let current = |task: &Task| task.attempt;
    let mut table = Vec::new();
    for (name, task) in states() {
        let attempt = current(&task);
        let events = [
            ("grant", granted(105)),
            ("ok", ended(attempt, Ok(Payload::null()), 105)),
            ("stale ok", ended(attempt + 1, Ok(Payload::null()), 105)),
            ("failure", ended(attempt, Err(retryable()), 105)),
            ("final", ended(attempt, Err(application(Disposition::NonRetryable)), 105)),
            ("lost", ended(attempt, Err(AttemptError::WorkerLost), 105)),
            ("handed back", ended(attempt, Err(AttemptError::HandedBack), 105)),
            ("beat", TaskEvent::Heartbeat { attempt, details: None, at: at(105) }),
            ("stale beat", TaskEvent::Heartbeat { attempt: attempt + 1, details: None, at: at(105) }),
            ("cancel", TaskEvent::CancelRequested { at: at(105) }),
            ("early tick", tick(101)),
            ("late tick", tick(1_000)),
        ];
        for (event_name, event) in events {
            let mut after = task.clone();
            let outcome = after.apply(event);
            if outcome.is_err() {
                assert_eq!(after, task, "{name} + {event_name}: a refused event changes nothing");
            }
            let seen = match outcome {
                Err(TaskRefused::NotCurrent { .. }) => "not current".to_owned(),
                Err(TaskRefused::Illegal { .. }) => "illegal".to_owned(),
                Ok(TaskOutcome { closed: Some(kind), exhausted, .. }) => {
                    format!("{}{}", kind.name(), if exhausted { " exhausted" } else { "" })
                }
                Ok(outcome) if outcome.ready => "ready".to_owned(),
                Ok(_) => format!("{:?}", after.state).split([' ', '{']).next().unwrap_or_default().to_owned(),
            };
            table.push(format!("{name} + {event_name} -> {seen}"));
        }
    }
    let expected = include_str!("table.txt");
    assert_eq!(table.join("\n"), expected.trim_end(), "the table of transitions");
}

#[test]
fn a_timeout_after_the_effect_leaves_it_unknown_even_if_a_later_attempt_says_no() {
    let mut task = task(limits());
    task.apply(granted(100)).unwrap();
    let timed_out = task.apply(tick(110)).unwrap();
    assert_eq!((timed_out.body, timed_out.attempt_over), (Some(BodySignal::Drop), Some(1)));
    assert!(task.apply(tick(112)).unwrap().ready);
    task.apply(granted(112)).unwrap();
    let outcome = task.apply(ended(2, Err(application(Disposition::NonRetryable)), 113)).unwrap();
    let Some(EventKind::ActivityFailed(failed)) = outcome.closed else { panic!("{outcome:?}") };
    assert_eq!((failed.attempts.effect, failed.exhausted), (Effect::Unknown, false));
}

#[test]
fn attempts_marked_no_effect_leave_nothing_to_undo() {
    let mut task = task(limits());
    let mut now = 100;
    for attempt in 1..=3 {
        task.apply(granted(now)).unwrap();
        let no_effect = application(Disposition::Retryable { after: None, no_effect: true });
        let outcome = task.apply(ended(attempt, Err(no_effect), now)).unwrap();
        if let Some(closed) = outcome.closed {
            let EventKind::ActivityFailed(failed) = closed else { panic!("{closed:?}") };
            assert_eq!((attempt, failed.exhausted, failed.attempts.effect), (3, true, Effect::None));
            return;
        }
        now += 8;
        assert!(task.apply(tick(now)).unwrap().ready);
    }
    panic!("the third failure closes");
}

#[test]
fn a_next_attempt_that_could_not_begin_in_time_ends_the_activity_at_once() {
    let mut task = task(ActivityOptions { schedule_to_close: Some(secs(3)), ..limits() });
    task.apply(granted(100)).unwrap();
    let outcome = task.apply(ended(1, Err(AttemptError::TimedOut(TimeoutKind::StartToClose)), 102)).unwrap();
    assert!(outcome.exhausted);
    assert!(matches!(outcome.closed, Some(EventKind::ActivityFailed(_))), "{outcome:?}");
}

#[test]
fn a_handed_back_attempt_does_not_count_and_the_next_is_ready_at_once() {
    let mut task = task(ActivityOptions { retry: Some(RetryPolicy::once()), ..ActivityOptions::default() });
    task.apply(granted(100)).unwrap();
    assert!(task.apply(ended(1, Err(AttemptError::HandedBack), 101)).unwrap().ready);
    task.apply(granted(101)).unwrap();
    assert_eq!((task.attempt, task.counted, task.effect), (2, 1, Effect::Unknown));
    let outcome = task.apply(ended(2, Err(AttemptError::WorkerLost), 102)).unwrap();
    assert!(outcome.exhausted, "with one attempt a lost worker is final");
}

#[test]
fn the_heartbeat_clock_starts_with_the_attempt_and_details_go_to_the_next() {
    let mut task = task(limits());
    assert_eq!(task.deadline(), Some(at(120)), "schedule-to-start while it waits");
    task.apply(granted(115)).unwrap();
    assert_eq!(task.deadline(), Some(at(119)));
    let details = Some(Payload::json(&10).unwrap());
    task.apply(TaskEvent::Heartbeat { attempt: 1, details: details.clone(), at: at(118) }).unwrap();
    task.apply(TaskEvent::Heartbeat { attempt: 1, details: None, at: at(117) }).unwrap();
    assert_eq!(task.deadline(), Some(at(122)), "a late beat moves nothing back");
    task.apply(tick(122)).unwrap();
    assert_eq!(task.details, details);
}

#[test]
fn a_cancelled_body_has_its_grace_and_success_still_counts() {
    let mut task = task(ActivityOptions::default());
    task.apply(granted(100)).unwrap();
    task.apply(TaskEvent::CancelRequested { at: at(101) }).unwrap();
    assert_eq!(task.apply(TaskEvent::CancelRequested { at: at(105) }).unwrap(), TaskOutcome::default());
    assert_eq!(task.deadline(), Some(at(111)));
    let mut lucky = task.clone();
    let outcome = lucky.apply(ended(1, Ok(Payload::null()), 102)).unwrap();
    assert!(matches!(outcome.closed, Some(EventKind::ActivityCompleted(_))));
    let outcome = task.apply(tick(111)).unwrap();
    let Some(EventKind::ActivityCancelled(cancelled)) = outcome.closed else { panic!("{outcome:?}") };
    assert_eq!((cancelled.attempts.effect, outcome.body), (Effect::Unknown, Some(BodySignal::Drop)));
}
