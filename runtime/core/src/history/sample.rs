//! One event of every kind, for tests of machines and formats.

use std::time::Duration;

use super::*;
use crate::breaker::CircuitBreaker;
use crate::error::{CallError, WorkflowError};
use crate::failure::{
    ApplicationFailure, AttemptError, AttemptFailure, Disposition, Effect, Severity, TimeoutKind,
};
use crate::id::{
    ActivityName, EventId, IdempotencyKey, QueueName, RequestId, RunId, WorkflowId, WorkflowType,
};
use crate::options::ActivityOptions;
use crate::payload::{Encoding, Payload};
use crate::retry::RetryPolicy;
use crate::time::Timestamp;

fn failure() -> AttemptError {
    application(Disposition::Retryable { after: Some(Duration::from_secs(3)), no_effect: true })
}

fn application(disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "BankError".into(),
        message: "bank asks to wait".into(),
        causes: vec!["busy".into()],
        disposition,
        details: Some(Payload::json(&("Busy", 3)).unwrap()),
    }))
}

fn attempts() -> AttemptSummary {
    let at = Timestamp::from_micros(1_700_000_000_000_001);
    let unbooked = application(Disposition::Compensate { severity: Severity::Alert });
    let failures = vec![
        AttemptFailure { attempt: 1, at, error: failure() },
        AttemptFailure { attempt: 2, at, error: unbooked },
    ];
    AttemptSummary { attempt: 2, begun: vec![at, at], failures, effect: Effect::Unknown }
}

fn site() -> CallSite {
    CallSite { file: "src/workflows.rs".into(), line: 17 }
}

/// What opens one of everything: a start, an activity (2), a timer (3), a step (4) and the unwinding of saga 1 (5).
pub(crate) fn opening() -> Vec<EventKind> {
    let wanted =
        ["WorkflowStarted", "ActivityScheduled", "TimerStarted", "StepStarted", "CompensationStarted"];
    let mut every = every_kind();
    let mut take = |name: &str| every.remove(every.iter().position(|kind| kind.name() == name).unwrap());
    let mut kinds: Vec<EventKind> = wanted.iter().map(|name| take(name)).collect();
    if let EventKind::CompensationStarted(started) = &mut kinds[4] {
        started.saga = 1;
    }
    kinds
}

/// One of each. What refers to something refers to what [`opening`] opens; a new saga is number 2.
pub(crate) fn every_kind() -> Vec<EventKind> {
    let (activity, timer, step) = (EventId(2), EventId(3), EventId(4));
    let queue = QueueName::new("tours").unwrap();
    let compensation = Compensation::Failed(vec![FailedUndo {
        step: Some(activity),
        undo: "refund".into(),
        attempts: 10,
        error: "down".into(),
        skipped: Some("refunded by hand".into()),
    }]);
    let user = CancelCause::User { reason: "rain".into(), request_id: RequestId::new("req-2").unwrap() };
    let error = WorkflowError::Activity {
        name: "charge".into(),
        scheduled: Some(activity),
        error: CallError::Exhausted { last: failure(), attempts: 2 },
    };
    vec![
        started(&queue),
        ActivityCompleted {
            scheduled: activity,
            output: Payload::json("id-7").unwrap(),
            attempts: attempts(),
        }
        .into(),
        ActivityFailed { scheduled: activity, error: failure(), exhausted: true, attempts: attempts() }
            .into(),
        ActivityTimedOut {
            scheduled: activity,
            timeout: TimeoutKind::Heartbeat,
            reason: Some("not registered: x".into()),
            attempts: attempts(),
        }
        .into(),
        ActivityCancelled { scheduled: activity, attempts: attempts() }.into(),
        TimerFired { started: timer }.into(),
        CancelRequested { cause: user.clone() }.into(),
        StepCompleted { started: step, output: Payload::null(), attempts: attempts() }.into(),
        StepFailed { started: step, error: failure(), exhausted: false, attempts: attempts() }.into(),
        OperatorDecided {
            target: activity,
            decision: OperatorDecision::Answer { output: Payload::null() },
            who: "ann".into(),
            request_id: RequestId::new("req-3").unwrap(),
        }
        .into(),
        scheduled(&queue),
        ActivityCancelRequested { scheduled: activity }.into(),
        TimerStarted { due: Timestamp::MAX, follows_wall_clock: true, call_site: site() }.into(),
        TimerCancelled { started: timer }.into(),
        StepStarted { name: "rate".into(), retry: RetryPolicy::once(), call_site: site() }.into(),
        SideEffectRecorded { value: Payload::json(&1.5).unwrap(), call_site: site() }.into(),
        CompensationStarted { saga: 2, cause: "declined".into() }.into(),
        CompensationFinished { saga: 1, undone: 3, failed: Vec::new() }.into(),
        WorkflowCompleted { output: Payload::null(), compensation: Compensation::None }.into(),
        WorkflowFailed { error, by: ClosedBy::Code, compensation: compensation.clone() }.into(),
        WorkflowCancelled { compensation: Compensation::Compensated }.into(),
        WorkflowTimedOut { cause: CancelCause::RunTimeout, by: ClosedBy::Engine, compensation }.into(),
        WorkflowTerminated {
            reason: "operator".into(),
            undos_not_run: vec![activity],
            compensation: Compensation::None,
        }
        .into(),
    ]
}

fn started(queue: &QueueName) -> EventKind {
    WorkflowStarted {
        workflow_type: WorkflowType::new("book_tour").unwrap(),
        version: 2,
        workflow_id: WorkflowId::new("tour-991").unwrap(),
        run_id: RunId::from_bytes([9; 16]),
        queue: queue.clone(),
        input: Payload::new(Encoding::Binary, [0, 255, 1]),
        seed: u64::MAX,
        limits: RunLimits::default(),
        request_id: RequestId::new("req-1").unwrap(),
        run_timeout: Some(Duration::from_millis(1_500)),
        execution_timeout: None,
        requested_at: Timestamp::from_micros(1_700_000_000_000_000),
    }
    .into()
}

fn scheduled(queue: &QueueName) -> EventKind {
    let options = ActivityOptions {
        start_to_close: Some(Duration::from_secs(15)),
        retry: Some(RetryPolicy::exponential(Duration::from_secs(1)).non_retryable(["Rejected"])),
        circuit_breaker: Some(CircuitBreaker::new(5).successes(2).key("eu")),
        ..ActivityOptions::default()
    };
    ActivityScheduled {
        activity: ActivityName::new("charge").unwrap(),
        undoes: None,
        input: Payload::json(&("ann", 10)).unwrap(),
        idempotency_key: IdempotencyKey::new("order-1").unwrap(),
        attempts_before: 10,
        options: options.settle(queue, true),
        saga: Some(1),
        compensate: Some(ActivityName::new("refund").unwrap()),
        call_site: site(),
    }
    .into()
}
