//! Errors keep their types on the way through a history.

use serde::{Deserialize, Serialize};
use steadfast_core::{
    ApplicationFailure, AttemptError, CallError, CallRefused, Disposition, EventId, PayloadTooLarge,
    TimeoutKind,
};

use super::{ActivityError, FailedCall, LastError, WorkflowError};
use crate::failure::record;
use crate::{AnyFailure, Failure};

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
enum BankError {
    #[error("card declined")]
    #[failure(non_retryable)]
    Declined,
    #[error("network")]
    Network(
        #[serde(skip)]
        #[source]
        Option<std::num::ParseIntError>,
    ),
}

fn call() -> FailedCall {
    FailedCall { name: "charge".to_owned(), scheduled: Some(EventId(5)) }
}

fn too_large() -> PayloadTooLarge {
    PayloadTooLarge { what: "result of `charge`".to_owned(), size: 3, limit: 2 }
}

/// What the run says, with what the code sees of it and what is recorded if the workflow fails with it.
fn through(error: CallError) -> (ActivityError<BankError>, steadfast_core::WorkflowError) {
    let typed = ActivityError::from_call(error, call());
    (typed.clone(), WorkflowError::from(typed).into())
}

#[test]
fn the_error_of_an_activity_comes_back_equal() {
    let failure = AttemptError::Application(record(&BankError::Declined));
    let (typed, recorded) = through(CallError::Failed(failure));
    assert_eq!(typed, ActivityError::Application(BankError::Declined));
    let workflow = WorkflowError::from(recorded);
    assert_eq!(workflow.downcast::<BankError>(), Some(BankError::Declined));
    assert_eq!(workflow.downcast::<AnyFailure>(), None);
    assert_eq!(workflow.to_string(), "card declined");
}

#[test]
fn the_last_error_of_an_exhausted_call_is_typed() {
    let last = AttemptError::Application(record(&BankError::Network(None)));
    let error = CallError::Exhausted { last, attempts: 3 };
    let (typed, recorded) = through(error.clone());
    let expected = LastError::Application(BankError::Network(None));
    assert_eq!(typed, ActivityError::Exhausted { last: expected, attempts: 3, call: call() });
    assert_eq!(typed.to_string(), "`charge` was given up after 3 attempts: network");
    let steadfast_core::WorkflowError::Activity { error: back, .. } = &recorded else {
        panic!("{recorded:?}")
    };
    assert_eq!(*back, error);
    assert_eq!(WorkflowError::from(recorded).downcast(), Some(BankError::Network(None)));
}

#[test]
fn everything_else_goes_through_unchanged() {
    let timed_out = AttemptError::TimedOut(TimeoutKind::StartToClose);
    for error in [
        CallError::Exhausted { last: timed_out.clone(), attempts: 1 },
        CallError::Exhausted { last: AttemptError::WorkerLost, attempts: 2 },
        CallError::Exhausted { last: AttemptError::Panic { message: "oh".to_owned() }, attempts: 2 },
        CallError::TimedOut { timeout: TimeoutKind::ScheduleToStart, reason: Some("nobody".to_owned()) },
        CallError::Failed(timed_out),
        CallError::Failed(AttemptError::InputMismatch { message: "no".to_owned() }),
        CallError::Refused(CallRefused::SagaClosed),
        CallError::Refused(CallRefused::TooManyOpen { open: 2, limit: 2 }),
        CallError::Result("no number".to_owned()),
    ] {
        let (typed, recorded) = through(error.clone());
        let expected = steadfast_core::WorkflowError::Activity {
            name: "charge".to_owned(),
            scheduled: Some(EventId(5)),
            error,
        };
        assert_eq!(recorded, expected, "{typed:?}");
        assert_eq!(steadfast_core::WorkflowError::from(WorkflowError::from(recorded.clone())), recorded);
    }
}

#[test]
fn sizes_and_cancels_are_the_workflows_own() {
    for error in [
        CallError::Failed(AttemptError::TooLarge(too_large())),
        CallError::Refused(CallRefused::TooLarge(too_large())),
    ] {
        let (typed, recorded) = through(error);
        assert_eq!(typed, ActivityError::TooLarge(too_large()));
        assert_eq!(recorded, steadfast_core::WorkflowError::TooLarge(too_large()));
    }
    for error in [CallError::Cancelled, CallError::Failed(AttemptError::Cancelled)] {
        let (typed, recorded) = through(error);
        assert_eq!(typed, ActivityError::Cancelled);
        assert!(WorkflowError::from(recorded).is_cancelled());
    }
}

#[test]
fn an_error_that_fits_no_more_is_told_by_its_text() {
    let failure = Box::new(ApplicationFailure {
        type_name: "BankError".to_owned(),
        message: "frozen".to_owned(),
        causes: Vec::new(),
        disposition: Disposition::NonRetryable,
        details: Some(steadfast_core::Payload::json("Frozen").unwrap()),
    });
    let (typed, _) = through(CallError::Failed(AttemptError::Application(failure.clone())));
    let error = Box::new(AttemptError::Application(failure));
    assert_eq!(typed, ActivityError::Failed { error, call: call() });
    assert_eq!(typed.to_string(), "`charge` failed: BankError: frozen");
}

#[test]
fn causes_are_recorded_as_texts() {
    let cause = "x".parse::<u8>().unwrap_err();
    let failure = record(&BankError::Network(Some(cause)));
    assert_eq!(failure.causes, ["invalid digit found in string"]);
    assert_eq!(failure.type_name, "BankError");
    assert_eq!(record(&AnyFailure::non_retryable("no")).disposition, Disposition::NonRetryable);
}
