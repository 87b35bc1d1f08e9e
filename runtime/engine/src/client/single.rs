//! One activity without a workflow of the user's: a workflow of our own that calls it and returns what it returns.

use std::panic::Location;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast_core::exec::{ActivityCallSpec, CallStart, Definition, Outcome, RunContext, RunFuture};
use steadfast_core::{
    ActivityName, ActivityOptions, CallError, CircuitBreaker, Payload, PayloadError, QueueName, RetryPolicy,
    WorkflowError, WorkflowType,
};

use super::request::ActivityRequest;

const NAME: &str = "steadfast.run_activity";

/// What the workflow is told, as it is recorded.
#[derive(Serialize, Deserialize)]
struct Input {
    activity: ActivityName,
    input: Payload,
    idempotency_key: Option<String>,
    queue: Option<QueueName>,
    start_to_close: Option<Duration>,
    schedule_to_start: Option<Duration>,
    schedule_to_close: Option<Duration>,
    heartbeat: Option<Duration>,
    retry: Option<RetryPolicy>,
    cancel_grace: Option<Duration>,
    circuit_breaker: Option<CircuitBreaker>,
}

/// The workflow that calls one activity. Every worker has it.
#[derive(Debug)]
pub(crate) struct SingleActivity(WorkflowType);

impl Default for SingleActivity {
    fn default() -> Self {
        Self(workflow_type())
    }
}

#[expect(clippy::expect_used, reason = "the constant name is a valid one")]
pub(crate) fn workflow_type() -> WorkflowType {
    WorkflowType::new(NAME).expect("the name is valid")
}

/// The input of the workflow that stands for a request.
pub(crate) fn input(request: &ActivityRequest) -> Result<Payload, PayloadError> {
    let options = request.options.clone();
    Payload::json(&Input {
        activity: request.activity.clone(),
        input: request.input.clone(),
        idempotency_key: request.idempotency_key.clone(),
        queue: options.queue,
        start_to_close: options.start_to_close,
        schedule_to_start: options.schedule_to_start,
        schedule_to_close: options.schedule_to_close,
        heartbeat: options.heartbeat,
        retry: options.retry,
        cancel_grace: options.cancel_grace,
        circuit_breaker: options.circuit_breaker,
    })
}

impl SingleActivity {
    pub(crate) fn is_named(workflow_type: &WorkflowType) -> bool {
        workflow_type.as_str() == NAME
    }
}

impl Definition for SingleActivity {
    fn workflow_type(&self) -> &WorkflowType {
        &self.0
    }

    fn version(&self) -> u32 {
        1
    }

    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        Box::pin(async move {
            let call: Input = input.decode().map_err(|error| WorkflowError::Codec {
                what: "the input".to_owned(),
                message: error.to_string(),
            })?;
            let name = call.activity.to_string();
            let spec = ActivityCallSpec {
                activity: call.activity,
                input: Ok(call.input),
                idempotency_key: call.idempotency_key,
                options: ActivityOptions {
                    queue: call.queue,
                    start_to_close: call.start_to_close,
                    schedule_to_start: call.schedule_to_start,
                    schedule_to_close: call.schedule_to_close,
                    heartbeat: call.heartbeat,
                    retry: call.retry,
                    cancel_grace: call.cancel_grace,
                    circuit_breaker: call.circuit_breaker,
                },
                undo: None,
                call_site: Location::caller(),
            };
            let scheduled = context.next_event();
            let fail = |scheduled, error| WorkflowError::Activity { name: name.clone(), scheduled, error };
            match context.start_activity(spec, None) {
                CallStart::Open(outcome) => match outcome.await {
                    Outcome::Completed(output) => Ok(output),
                    Outcome::Fired => Ok(Payload::null()),
                    Outcome::Failed(CallError::Cancelled) => Err(WorkflowError::Cancelled),
                    Outcome::Failed(error) => Err(fail(Some(scheduled), error)),
                },
                CallStart::Refused(error) => Err(fail(None, error)),
                CallStart::Halted => std::future::pending().await,
            }
        })
    }
}
