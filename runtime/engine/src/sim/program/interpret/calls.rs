//! Calls of a program: activities, timers, steps, side effects.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use steadfast_core::exec::{ActivityCallSpec, CallStart, Outcome, StepBody, StepCallSpec, UndoSpec};
use steadfast_core::{
    ActivityOptions, ApplicationFailure, AttemptError, CallError, Disposition, EventId, Payload, RetryPolicy,
    WorkflowError,
};

use super::super::parts::mix;
use super::super::seen::Seen;
use super::super::tree::{Call, LocalStep};
use super::Place;

/// What an activity of a program gets.
#[derive(Serialize)]
struct CallInput<'a> {
    site: u32,
    value: u64,
    /// The numbers of the sagas around, outermost first.
    sagas: &'a [u32],
}

fn policy(attempts: u32) -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1))
        .maximum_interval(Duration::from_secs(8))
        .maximum_attempts(attempts)
}

impl Place {
    pub(super) async fn call(&self, call: &Call, value: u64) -> Result<u64, WorkflowError> {
        let seconds = Duration::from_secs;
        let options = |attempts| ActivityOptions {
            start_to_close: Some(seconds(call.start_to_close)),
            retry: Some(policy(attempts)),
            ..ActivityOptions::default()
        };
        let undo = call.undo.map(|undo| UndoSpec {
            activity: undo.name(),
            options: options(undo.attempts),
            by_operator: false,
        });
        let spec = ActivityCallSpec {
            activity: call.name(),
            input: Payload::json(&CallInput { site: call.site, value, sagas: &self.inside }),
            idempotency_key: None,
            options: ActivityOptions {
                schedule_to_close: call.schedule_to_close.map(seconds),
                ..options(call.attempts)
            },
            undo,
            call_site: Location::caller(),
        };
        let name = Named {
            name: call.name().to_string(),
            is_timer: false,
            undo: call.undo.map(|undo| undo.name().to_string()),
        };
        self.outcome(name, self.context.start_activity(spec, self.saga.as_ref())).await
    }

    pub(super) async fn sleep(&self, millis: u64) -> Result<u64, WorkflowError> {
        let due = self.context.now().after(Duration::from_millis(millis));
        let name = Named { name: "sleep".to_owned(), is_timer: true, undo: None };
        self.outcome(name, self.context.start_timer(due, false, Location::caller())).await
    }

    pub(super) async fn step(&self, step: &LocalStep, value: u64) -> Result<u64, WorkflowError> {
        let (fails, value) = (step.fails, mix(value, u64::from(step.site)));
        let body: StepBody = Arc::new(move || {
            Box::pin(async move {
                if fails {
                    return Err(step_failure());
                }
                Payload::json(&value).map_err(|error| AttemptError::Panic { message: error.0 })
            })
        });
        let name = format!("step {}", step.site);
        let spec = StepCallSpec { name: name.clone(), body, retry: policy(3), call_site: Location::caller() };
        self.outcome(Named { name, is_timer: false, undo: None }, self.context.start_step(spec)).await
    }

    pub(super) fn side_effect(&self, value: u64) -> u64 {
        let recorded = self.context.side_effect(Location::caller(), || {
            self.see(|| Seen::SideEffectComputed);
            Payload::json(&value).unwrap_or_else(|_| Payload::null())
        });
        let recorded = recorded.decode().unwrap_or(0);
        self.see(|| Seen::SideEffect(recorded));
        recorded
    }

    async fn outcome(&self, named: Named, start: CallStart) -> Result<u64, WorkflowError> {
        let Named { name, is_timer, undo } = named;
        let (begun, outcome) = match start {
            CallStart::Open(item) => {
                let begun = item.id();
                self.see(|| Seen::Begun { begun, name: (!is_timer).then(|| name.clone()), undo });
                let mut open = Open { place: self, begun: Some(begun) };
                let outcome = item.await;
                open.begun = None;
                (Some(begun), outcome)
            }
            CallStart::Refused(error) => (None, Outcome::Failed(error)),
            CallStart::Halted => std::future::pending().await,
        };
        self.see(|| Seen::Ended { begun, outcome: format!("{outcome:?}") });
        match outcome {
            Outcome::Completed(payload) => Ok(payload.decode().unwrap_or(0)),
            Outcome::Fired => Ok(0),
            Outcome::Failed(CallError::Cancelled) => Err(WorkflowError::Cancelled),
            Outcome::Failed(error) => Err(WorkflowError::Activity { name, scheduled: begun, error }),
        }
    }
}

/// What is begun.
struct Named {
    name: String,
    is_timer: bool,
    undo: Option<String>,
}

/// Tells of a call that is dropped while it is open.
struct Open<'a> {
    place: &'a Place,
    begun: Option<EventId>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(begun) = self.begun {
            self.place.see(|| Seen::Dropped { begun });
        }
    }
}

fn step_failure() -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "Scripted".to_owned(),
        message: "the step fails".to_owned(),
        causes: Vec::new(),
        disposition: Disposition::NonRetryable,
        details: None,
    }))
}
