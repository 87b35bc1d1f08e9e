//! Workflow functions from closures, and the calls they make.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use steadfast_core::exec::{
    ActivityCallSpec, CallStart, Definition, Outcome, RunContext, RunFuture, StepBody, StepCallSpec, UndoSpec,
};
use steadfast_core::{
    ActivityName, ActivityOptions, CallError, EventId, Payload, RetryPolicy, SagaScope, Timestamp,
    WorkflowError, WorkflowType,
};

type Function = Box<dyn Fn(RunContext, u64) -> RunFuture + Send + Sync>;

struct Code {
    workflow_type: WorkflowType,
    function: Function,
}

impl Definition for Code {
    fn workflow_type(&self) -> &WorkflowType {
        &self.workflow_type
    }

    fn version(&self) -> u32 {
        1
    }

    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        (self.function)(context, input.decode().unwrap_or(0))
    }
}

/// A workflow function of a number.
pub(super) fn workflow<F, Fut>(name: &str, code: F) -> Arc<dyn Definition>
where
    F: Fn(RunContext, u64) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u64, WorkflowError>> + 'static,
{
    let function: Function = Box::new(move |context, input| {
        let result = code(context, input);
        Box::pin(async move { Payload::json(&result.await?).map_err(WorkflowError::fail) })
    });
    Arc::new(Code { workflow_type: named(WorkflowType::new, name), function })
}

/// A name that is a constant of these files.
pub(super) fn named<'a, T, E: std::fmt::Debug>(make: impl Fn(&'a str) -> Result<T, E>, name: &'a str) -> T {
    #[expect(clippy::expect_used, reason = "the constant names are valid ones")]
    make(name).expect("the name is valid")
}

pub(super) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The options of most calls.
pub(super) fn options() -> ActivityOptions {
    ActivityOptions {
        start_to_close: Some(secs(20)),
        heartbeat: Some(secs(15)),
        retry: Some(RetryPolicy::exponential(secs(1)).maximum_interval(secs(5))),
        ..ActivityOptions::default()
    }
}

/// What undoes a step.
pub(super) fn undo(name: &str, attempts: u32) -> UndoSpec {
    let retry = RetryPolicy::fixed(secs(1)).maximum_attempts(attempts);
    let options = ActivityOptions { retry: Some(retry), ..options() };
    UndoSpec { activity: named(ActivityName::new, name), options, by_operator: false }
}

/// A call, complete but not begun. The numbers of the sagas around it, outermost first, go into its input.
pub(super) struct Ask<'a> {
    pub(super) activity: &'a str,
    pub(super) value: u64,
    pub(super) sagas: &'a [u32],
    pub(super) options: ActivityOptions,
    pub(super) undo: Option<UndoSpec>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(activity: &'a str, value: u64) -> Self {
        Self { activity, value, sagas: &[], options: options(), undo: None }
    }
}

#[derive(serde::Serialize)]
struct Input<'a> {
    value: u64,
    sagas: &'a [u32],
}

/// Begins a call, as a step if there is a saga.
pub(super) fn begin(context: &RunContext, ask: Ask<'_>, saga: Option<&SagaScope>) -> (EventId, CallStart) {
    let Ask { activity, value, sagas, options, undo } = ask;
    let scheduled = context.next_event();
    let spec = ActivityCallSpec {
        activity: named(ActivityName::new, activity),
        input: Payload::json(&Input { value, sagas }),
        idempotency_key: None,
        options,
        undo,
        call_site: Location::caller(),
    };
    (scheduled, context.start_activity(spec, saga))
}

/// Calls an activity and waits for its outcome.
pub(super) async fn call(
    context: &RunContext,
    ask: Ask<'_>,
    saga: Option<&SagaScope>,
) -> Result<u64, WorkflowError> {
    let name = ask.activity.to_owned();
    let (scheduled, start) = begin(context, ask, saga);
    let error = match start {
        CallStart::Open(item) => match item.await {
            Outcome::Completed(output) => return output.decode().map_err(WorkflowError::fail),
            Outcome::Fired => return Err(WorkflowError::fail("an activity does not fire")),
            Outcome::Failed(error) => error,
        },
        CallStart::Refused(error) => error,
        CallStart::Halted => std::future::pending().await,
    };
    if error == CallError::Cancelled {
        return Err(WorkflowError::Cancelled);
    }
    Err(WorkflowError::Activity { name, scheduled: Some(scheduled), error })
}

/// Sleeps durably.
pub(super) async fn sleep(context: &RunContext, duration: Duration) -> Result<u64, WorkflowError> {
    sleep_until(context, context.now().after(duration), false).await
}

pub(super) async fn sleep_until(
    context: &RunContext,
    due: Timestamp,
    follows_wall_clock: bool,
) -> Result<u64, WorkflowError> {
    match context.start_timer(due, follows_wall_clock, Location::caller()) {
        CallStart::Open(item) => match item.await {
            Outcome::Fired => Ok(0),
            Outcome::Failed(_) | Outcome::Completed(_) => Err(WorkflowError::Cancelled),
        },
        CallStart::Refused(_) => Err(WorkflowError::Cancelled),
        CallStart::Halted => std::future::pending().await,
    }
}

/// A step written in place.
pub(super) async fn step(context: &RunContext, name: &str, body: StepBody) -> Result<u64, WorkflowError> {
    let retry = RetryPolicy::fixed(secs(1)).maximum_attempts(3);
    let spec = StepCallSpec { name: name.to_owned(), body, retry, call_site: Location::caller() };
    match context.start_step(spec) {
        CallStart::Open(item) => match item.await {
            Outcome::Completed(output) => output.decode().map_err(WorkflowError::fail),
            Outcome::Failed(error) => Err(WorkflowError::fail(error)),
            Outcome::Fired => Err(WorkflowError::fail("a step does not fire")),
        },
        CallStart::Refused(_) => Err(WorkflowError::Cancelled),
        CallStart::Halted => std::future::pending().await,
    }
}
