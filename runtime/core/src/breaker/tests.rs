use std::time::Duration;

use super::*;
use crate::failure::{ApplicationFailure, AttemptError, Disposition, Severity, TimeoutKind};
use crate::time::Timestamp;
use Verdict::{Failure, Neither, Success};

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

/// Opens after three failures for 30 s; two successes close it.
fn breaker() -> Breaker {
    Breaker::new(&CircuitBreaker::new(3).successes(2))
}

/// Attempts of the present generation that ended at `second`.
fn end(breaker: &mut Breaker, second: u64, verdicts: &[Verdict]) -> Vec<bool> {
    verdicts.iter().map(|verdict| breaker.ended(breaker.generation(), *verdict, at(second))).collect()
}

fn opened(second: u64) -> Breaker {
    let mut breaker = breaker();
    end(&mut breaker, second, &[Failure, Failure, Failure]);
    assert_eq!(breaker.state(), BreakerState::Open { until: Some(at(second + 30)) });
    breaker
}

#[test]
fn only_failures_in_a_row_open_it() {
    let mut breaker = breaker();
    end(&mut breaker, 1, &[Failure, Failure, Success, Failure, Failure]);
    assert_eq!(breaker.state(), BreakerState::Closed { failures: 2 });
    assert_eq!(end(&mut breaker, 2, &[Neither]), [false], "it neither counts nor breaks the row");
    assert_eq!(end(&mut breaker, 3, &[Failure]), [true]);
    assert_eq!(breaker.state(), BreakerState::Open { until: Some(at(33)) });
    assert_eq!((breaker.since(), breaker.opened(), breaker.next_trial()), (Some(at(3)), 1, Some(at(33))));
    assert!(!breaker.admits(0));
}

#[test]
fn when_its_time_is_up_as_many_are_tried_as_close_it() {
    let mut breaker = opened(0);
    assert!(!breaker.tick(at(29)) && !breaker.admits(0));
    assert!(breaker.tick(at(30)) && !breaker.tick(at(31)));
    assert_eq!([0, 1, 2, 9].map(|probes| breaker.admits(probes)), [true, true, false, false]);
    end(&mut breaker, 31, &[Success]);
    assert_eq!(breaker.state(), BreakerState::HalfOpen { successes: 1 });
    assert_eq!([0, 1].map(|probes| breaker.admits(probes)), [true, false], "one more success is needed");
    end(&mut breaker, 32, &[Success]);
    assert_eq!(breaker.state(), BreakerState::Closed { failures: 0 });
}

#[test]
fn one_failure_of_a_trial_opens_it_again_for_the_whole_time() {
    let mut breaker = opened(0);
    breaker.tick(at(30));
    end(&mut breaker, 40, &[Success, Neither, Failure]);
    assert_eq!(breaker.state(), BreakerState::Open { until: Some(at(70)) });
    assert_eq!(breaker.opened(), 2);
}

#[test]
fn what_began_before_a_change_of_state_changes_nothing() {
    let mut breaker = breaker();
    let old = breaker.generation();
    end(&mut breaker, 0, &[Failure, Failure, Failure]);
    for late in [Success, Failure, Neither] {
        assert!(!breaker.ended(old, late, at(1)));
    }
    breaker.tick(at(30));
    assert!(!breaker.ended(old, Failure, at(31)), "it was no trial");
    assert_eq!(breaker.state(), BreakerState::HalfOpen { successes: 0 });
}

#[test]
fn an_operator_opens_it_until_one_closes_it() {
    let mut breaker = breaker();
    assert!(breaker.force_open(at(5)) && !breaker.force_open(at(6)));
    assert!(!breaker.tick(at(1_000_000)), "it does not end by itself");
    assert_eq!((breaker.next_trial(), breaker.admits(0)), (None, false));
    assert!(breaker.reset(at(7)) && !breaker.reset(at(8)));
    assert!(breaker.admits(99));
    end(&mut breaker, 9, &[Failure]);
    assert!(breaker.reset(at(10)), "a reset also forgets the failures so far");
    assert_eq!(breaker.state(), BreakerState::Closed { failures: 0 });
}

#[test]
fn every_change_raises_the_version_and_nothing_else_does() {
    let mut breaker = breaker();
    let versions: Vec<u64> = [Success, Neither, Failure, Success, Failure, Failure, Failure]
        .into_iter()
        .map(|verdict| {
            end(&mut breaker, 1, &[verdict]);
            breaker.version()
        })
        .collect();
    assert_eq!(versions, [0, 0, 1, 2, 3, 4, 5]);
    breaker.tick(at(31));
    assert_eq!((breaker.version(), breaker.generation()), (6, 2));
}

#[test]
fn new_numbers_hold_from_now_on() {
    let mut breaker = breaker();
    end(&mut breaker, 0, &[Failure]);
    breaker.adopt(&CircuitBreaker::new(2).open(Duration::from_secs(5)));
    end(&mut breaker, 1, &[Failure]);
    assert_eq!(breaker.state(), BreakerState::Open { until: Some(at(6)) });
    breaker.tick(at(6));
    assert_eq!([0, 1].map(|probes| breaker.admits(probes)), [true, false]);
}

#[test]
fn what_attempts_say_of_the_service() {
    let application = |disposition| {
        AttemptError::Application(Box::new(ApplicationFailure {
            type_name: "E".into(),
            message: "m".into(),
            causes: vec![],
            disposition,
            details: None,
        }))
    };
    let retryable = application(Disposition::Retryable { after: None, no_effect: false });
    let said = [
        Verdict::of(&retryable, true),
        Verdict::of(&retryable, false),
        Verdict::of(&application(Disposition::NonRetryable), false),
        Verdict::of(&application(Disposition::Compensate { severity: Severity::Auto }), false),
        Verdict::of(&AttemptError::Panic { message: "p".into() }, true),
        Verdict::of(&AttemptError::TimedOut(TimeoutKind::StartToClose), true),
        Verdict::of(&AttemptError::WorkerLost, true),
        Verdict::of(&AttemptError::HandedBack, true),
        Verdict::of(&AttemptError::Cancelled, false),
    ];
    let expected = [Failure, Neither, Neither, Neither, Failure, Failure, Neither, Neither, Neither];
    assert_eq!(said, expected);
}

#[test]
fn a_key_that_is_too_long_is_cut_between_characters() {
    let key = "ä".repeat(600);
    let breaker = CircuitBreaker::new(1).key(key.as_str());
    assert_eq!(breaker.key_text(), &key[..1_000]);
    assert_eq!(CircuitBreaker::new(1).key_text(), "");
}
