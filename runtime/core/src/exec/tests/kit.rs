//! Drives workflows by hand-written inputs.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{CallError, WorkflowError};
use crate::exec::{
    ActivityCallSpec, Blocked, CallStart, Definition, Executor, Outcome, RunContext, RunFuture, UndoSpec,
};
use crate::failure::{ApplicationFailure, AttemptError, Disposition, Effect, TimeoutKind};
use crate::history::*;
use crate::id::*;
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::saga::SagaScope;
use crate::time::Timestamp;

type Body = dyn Fn(RunContext, Payload) -> RunFuture + Send + Sync;

struct Defined {
    name: WorkflowType,
    body: Box<Body>,
}

impl Definition for Defined {
    fn workflow_type(&self) -> &WorkflowType {
        &self.name
    }
    fn version(&self) -> u32 {
        1
    }
    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        (self.body)(context, input)
    }
}

pub(crate) fn define<F>(body: impl Fn(RunContext) -> F + Send + Sync + 'static) -> Arc<dyn Definition>
where
    F: Future<Output = Result<u64, WorkflowError>> + 'static,
{
    Arc::new(Defined {
        name: WorkflowType::new("test").unwrap(),
        body: Box::new(move |context, _| {
            let future = body(context);
            Box::pin(async move { future.await.map(|value| Payload::json(&value).unwrap()) })
        }),
    })
}

fn spec(name: &str, undo: Option<&str>) -> ActivityCallSpec {
    ActivityCallSpec {
        activity: ActivityName::new(name).unwrap(),
        input: Payload::json(name),
        idempotency_key: None,
        options: ActivityOptions::default(),
        undo: undo.map(|name| UndoSpec {
            activity: ActivityName::new(name).unwrap(),
            options: ActivityOptions::default(),
            by_operator: false,
        }),
        call_site: Location::caller(),
    }
}

async fn finish(name: &str, start: CallStart) -> Result<u64, WorkflowError> {
    let (scheduled, outcome) = match start {
        CallStart::Open(item) => (Some(item.id()), item.await),
        CallStart::Refused(error) => (None, Outcome::Failed(error)),
        CallStart::Halted => std::future::pending().await,
    };
    match outcome {
        Outcome::Completed(payload) => Ok(payload.decode().unwrap_or(0)),
        Outcome::Fired => Ok(0),
        Outcome::Failed(CallError::Cancelled) => Err(WorkflowError::Cancelled),
        Outcome::Failed(error) => Err(WorkflowError::Activity { name: name.to_owned(), scheduled, error }),
    }
}

/// Calls an activity.
pub(crate) async fn call(ctx: &RunContext, name: &str) -> Result<u64, WorkflowError> {
    finish(name, ctx.start_activity(spec(name, None), None)).await
}

/// Calls a step whose undo waits for an operator.
pub(crate) async fn careful(saga: &SagaScope, name: &str, undo: &str) -> Result<u64, WorkflowError> {
    let mut spec = spec(name, Some(undo));
    if let Some(undo) = &mut spec.undo {
        undo.by_operator = true;
    }
    finish(name, saga.context().start_activity(spec, Some(saga))).await
}

/// Calls a step without an undo.
pub(crate) async fn plain(saga: &SagaScope, name: &str) -> Result<u64, WorkflowError> {
    finish(name, saga.context().start_activity(spec(name, None), Some(saga))).await
}

/// Calls a step of a saga, with its undo.
pub(crate) async fn step(saga: &SagaScope, name: &str, undo: &str) -> Result<u64, WorkflowError> {
    finish(name, saga.context().start_activity(spec(name, Some(undo)), Some(saga))).await
}

pub(crate) async fn sleep(ctx: &RunContext, seconds: u64) -> Result<(), WorkflowError> {
    let due = ctx.now().after(Duration::from_secs(seconds));
    finish("sleep", ctx.start_timer(due, false, Location::caller())).await.map(|_| ())
}

pub(crate) fn failed(message: &str) -> WorkflowError {
    WorkflowError::fail(message)
}

/// A run driven by inputs, twice: live throughout, and rebuilt before each input.
pub(crate) struct Drive {
    definition: Arc<dyn Definition>,
    live: Executor,
    pub(crate) history: Vec<Event>,
    clock: u64,
}

pub(crate) fn started() -> EventKind {
    WorkflowStarted {
        workflow_type: WorkflowType::new("test").unwrap(),
        version: 1,
        workflow_id: WorkflowId::new("w").unwrap(),
        run_id: RunId::from_bytes([7; 16]),
        queue: QueueName::new("q").unwrap(),
        input: Payload::null(),
        seed: 42,
        limits: RunLimits { payload_bytes_max: 1_000, open_activities_max: 50, ..RunLimits::default() },
        request_id: RequestId::new("r").unwrap(),
        run_timeout: None,
        execution_timeout: None,
        requested_at: Timestamp::ZERO,
    }
    .into()
}

impl Drive {
    pub(crate) fn new(definition: Arc<dyn Definition>) -> Self {
        let live = Executor::new(Arc::clone(&definition), ActivityOptions::default());
        Self { definition, live, history: Vec::new(), clock: 0 }
    }

    /// A run that has begun.
    pub(crate) fn start(definition: Arc<dyn Definition>) -> Self {
        let mut drive = Self::new(definition);
        drive.input(started());
        drive
    }

    pub(crate) fn try_input(&mut self, kind: EventKind) -> Result<(), Blocked> {
        self.clock += 1;
        let at = Timestamp::from_micros(self.clock * 1_000_000);
        let mut rebuilt = Executor::new(Arc::clone(&self.definition), ActivityOptions::default());
        rebuilt.replay(&self.history).expect("every prefix replays");
        assert_eq!(rebuilt.undos(), self.live.undos());
        assert_eq!(rebuilt.holds(), self.live.holds());
        let live = self.live.activate(at, kind.clone());
        let again = rebuilt.activate(at, kind);
        assert_eq!(live, again, "live and rebuilt bring about the same");
        self.history.extend(live?.events);
        Ok(())
    }

    pub(crate) fn input(&mut self, kind: EventKind) -> &mut Self {
        if let Err(blocked) = self.try_input(kind) {
            panic!("blocked: {blocked}\n{}", self.text());
        }
        self
    }

    pub(crate) fn ok(&mut self, scheduled: u64, value: u64) -> &mut Self {
        let output = Payload::json(&value).unwrap();
        let attempts = summary(Effect::Done);
        self.input(ActivityCompleted { scheduled: EventId(scheduled), output, attempts }.into())
    }

    /// A final failure that says that nothing happened.
    pub(crate) fn declined(&mut self, scheduled: u64) -> &mut Self {
        let error = application("Declined", Disposition::NonRetryable);
        let attempts = summary(Effect::None);
        let scheduled = EventId(scheduled);
        self.input(ActivityFailed { scheduled, error, exhausted: false, attempts }.into())
    }

    /// A timeout after which nobody knows.
    pub(crate) fn timed_out(&mut self, scheduled: u64) -> &mut Self {
        let attempts = summary(Effect::Unknown);
        let (scheduled, timeout) = (EventId(scheduled), TimeoutKind::StartToClose);
        self.input(ActivityTimedOut { scheduled, timeout, reason: None, attempts }.into())
    }

    pub(crate) fn cancelled(&mut self, scheduled: u64, effect: Effect) -> &mut Self {
        self.input(ActivityCancelled { scheduled: EventId(scheduled), attempts: summary(effect) }.into())
    }

    pub(crate) fn fired(&mut self, started: u64) -> &mut Self {
        self.input(TimerFired { started: EventId(started) }.into())
    }

    pub(crate) fn cancel(&mut self) -> &mut Self {
        let cause = CancelCause::User { reason: "test".into(), request_id: RequestId::new("c").unwrap() };
        self.input(CancelRequested { cause }.into())
    }

    pub(crate) fn decided(target: u64, decision: OperatorDecision) -> EventKind {
        let request_id = RequestId::new("o").unwrap();
        OperatorDecided { target: EventId(target), decision, who: "ann".into(), request_id }.into()
    }

    pub(crate) fn decide(&mut self, target: u64, decision: OperatorDecision) -> &mut Self {
        self.input(Self::decided(target, decision))
    }

    /// What waits for an operator, a line each.
    pub(crate) fn holds(&self) -> Vec<String> {
        self.live.holds().iter().map(ToString::to_string).collect()
    }

    pub(crate) fn impose(&mut self, cause: CancelCause) -> &mut Self {
        self.input(CancelRequested { cause }.into())
    }

    pub(crate) fn has_undos(&self) -> bool {
        self.live.has_undos()
    }

    /// The history, a line an event, markers and facts left out where they say nothing.
    pub(crate) fn text(&self) -> String {
        self.history.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    pub(crate) fn check(&self, expected: &str) {
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(self.text(), expected.join("\n"), "the history");
    }

    /// Replays the history with other code.
    pub(crate) fn replay_with(&self, definition: Arc<dyn Definition>) -> Result<(), Blocked> {
        Executor::new(definition, ActivityOptions::default()).replay(&self.history)
    }
}

fn summary(effect: Effect) -> AttemptSummary {
    AttemptSummary { attempt: 1, begun: Vec::new(), failures: Vec::new(), effect }
}

pub(crate) fn application(name: &str, disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: name.into(),
        message: "no".into(),
        causes: Vec::new(),
        disposition,
        details: None,
    }))
}

fn line(event: &Event) -> String {
    let id = event.id;
    let what = match &event.kind {
        EventKind::ActivityScheduled(e) => match e.undoes {
            None => format!("scheduled {}", e.activity),
            Some(step) => format!("scheduled {} to undo {step} with {:?}", e.activity, e.input),
        },
        EventKind::ActivityCancelRequested(e) => format!("cancel {}", e.scheduled),
        EventKind::ActivityCompleted(e) => format!("completed {}", e.scheduled),
        EventKind::ActivityFailed(e) => format!("failed {}", e.scheduled),
        EventKind::ActivityTimedOut(e) => format!("timed out {}", e.scheduled),
        EventKind::ActivityCancelled(e) => format!("cancelled {}", e.scheduled),
        EventKind::TimerStarted(e) => format!("timer due {}", e.due.as_micros() / 1_000_000),
        EventKind::TimerFired(e) => format!("fired {}", e.started),
        EventKind::TimerCancelled(e) => format!("timer cancelled {}", e.started),
        EventKind::OperatorDecided(e) => format!("{} {}", e.decision.name(), e.target),
        EventKind::CompensationFinished(e) => {
            format!("CompensationFinished undone {} failed {}", e.undone, e.failed.len())
        }
        EventKind::WorkflowCompleted(e) => format!("Completed {:?} {:?}", e.output, e.compensation),
        EventKind::WorkflowFailed(e) => format!("Failed {} {:?}", e.error, e.compensation),
        EventKind::WorkflowCancelled(e) => format!("Cancelled {:?}", e.compensation),
        EventKind::WorkflowTimedOut(e) => format!("TimedOut {:?}", e.compensation),
        EventKind::WorkflowStarted(_)
        | EventKind::CancelRequested(_)
        | EventKind::StepCompleted(_)
        | EventKind::StepFailed(_)
        | EventKind::StepStarted(_)
        | EventKind::SideEffectRecorded(_)
        | EventKind::CompensationStarted(_)
        | EventKind::WorkflowTerminated(_) => event.kind.name().to_owned(),
    };
    format!("{id} {what}")
}
