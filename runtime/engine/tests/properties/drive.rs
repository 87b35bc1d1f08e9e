//! Everything around one run that could happen to it, in random order.

mod act;

use std::collections::BTreeMap;

use steadfast_core::history::{
    ActivityScheduled, CancelCause, CancelRequested, ClosedBy, Event, EventKind, RunLimits, TimerFired,
    WorkflowFailed, WorkflowStarted, WorkflowTerminated, WorkflowTimedOut,
};
use steadfast_core::machine::{Task, TaskEvent, TaskOutcome};
use steadfast_core::{
    EventId, IdempotencyKey, Payload, QueueName, RequestId, RunId, Timestamp, WorkflowError, WorkflowId,
    WorkflowType,
};
use steadfast_engine::sim::{Dice, Program};

use crate::record::{Activated, Record};
use crate::watch::Watched;

/// A run that takes more inputs than this does not end.
const INPUTS_MAX: usize = 5_000;

/// An activity or a step that is open.
pub(crate) struct Open {
    task: Task,
    /// The key of an activity.
    key: Option<IdempotencyKey>,
}

/// A run in memory, and what surrounds it.
pub(crate) struct Drive<'p> {
    program: &'p Program,
    seed: u64,
    dice: Dice,
    live: Watched,
    now: Timestamp,
    open: BTreeMap<EventId, Open>,
    timers: BTreeMap<EventId, Timestamp>,
    /// Inputs that have come and are not admitted yet.
    inbox: Vec<EventKind>,
    is_cancelled: bool,
    imposed: Option<CancelCause>,
    has_undos: bool,
    record: Record,
    /// Is shown each input before it is taken.
    check: &'p mut Check<'p>,
}

/// Looks at the run before an input, and at what the input brings about.
pub(crate) type Check<'p> = dyn FnMut(&Program, &Record, &Watched, &Input) -> Result<Expected, String> + 'p;

/// An input about to be taken.
pub(crate) struct Input {
    pub(crate) at: Timestamp,
    pub(crate) kind: EventKind,
}

/// What an executor made of the input: to be compared with what the live one makes of it.
pub(crate) type Expected = Option<(Result<Vec<Event>, String>, Vec<steadfast_engine::sim::Seen>)>;

/// Drives a program to its end.
pub(crate) fn run(program: &Program, seed: u64) -> Result<Record, String> {
    run_checked(program, seed, &mut |_, _, _, _| Ok(None))
}

/// The same, with a look at every step.
pub(crate) fn run_checked<'p>(
    program: &'p Program,
    seed: u64,
    check: &'p mut Check<'p>,
) -> Result<Record, String> {
    let mut drive = Drive {
        program,
        seed,
        dice: Dice::new(seed ^ 0x00d2_17e0),
        live: Watched::new(program),
        now: Timestamp::from_micros(1_000_000),
        open: BTreeMap::new(),
        timers: BTreeMap::new(),
        inbox: Vec::new(),
        is_cancelled: false,
        imposed: None,
        has_undos: false,
        record: Record::default(),
        check,
    };
    let ended = drive.finish();
    ended.map_err(|problem| format!("{problem}\n{}", drive.record.text()))?;
    Ok(drive.record)
}

fn started(seed: u64) -> EventKind {
    WorkflowStarted {
        workflow_type: WorkflowType::new("program").unwrap(),
        version: 1,
        workflow_id: WorkflowId::new("w").unwrap(),
        run_id: RunId::from_bytes([7; 16]),
        queue: QueueName::new("q").unwrap(),
        input: Payload::json(&seed).unwrap(),
        seed,
        // Sometimes fewer than the program wants: its calls are refused then.
        limits: RunLimits {
            open_activities_max: if seed.is_multiple_of(8) { 2 } else { 100 },
            ..RunLimits::default()
        },
        request_id: RequestId::new("r").unwrap(),
        run_timeout: None,
        execution_timeout: None,
        requested_at: Timestamp::ZERO,
    }
    .into()
}

impl Drive<'_> {
    fn finish(&mut self) -> Result<(), String> {
        self.input(started(self.seed))?;
        while !self.is_closed() {
            if self.record.activations.len() > INPUTS_MAX {
                return Err("it does not end".to_owned());
            }
            self.act()?;
        }
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.record.history.last().is_some_and(|event| event.kind.closed_by().is_some())
    }

    /// Appends an input with what the code does about it.
    fn input(&mut self, kind: EventKind) -> Result<(), String> {
        let input = Input { at: self.now, kind };
        let expected = (self.check)(self.program, &self.record, &self.live, &input)?;
        let activation = self.live.executor.activate(input.at, input.kind);
        let events = match activation {
            Ok(activation) => {
                self.has_undos = activation.has_undos;
                Ok(activation.events)
            }
            Err(blocked) => Err(blocked.to_string()),
        };
        let seen = self.live.look();
        if let Some(expected) = expected {
            let live = (events.clone(), crate::watch::repeated(&seen));
            if expected != live {
                return Err(format!("live and rebuilt differ: {live:#?}\n{expected:#?}"));
            }
        }
        let events = events.map_err(|blocked| format!("blocked: {blocked}"))?;
        self.follow(&events)?;
        self.record.history.extend(events);
        self.record.activations.push(Activated { end: self.record.history.len(), seen });
        if self.is_closed() && self.live.executor.has_undos() {
            return Err(format!("undos are left at the end: {:?}", self.live.executor.undos()));
        }
        if !self.is_closed() && !self.has_undos && self.imposed.is_some() {
            self.close_by_engine();
        }
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other events open and end nothing")]
    fn follow(&mut self, events: &[Event]) -> Result<(), String> {
        for event in events {
            match &event.kind {
                EventKind::ActivityScheduled(scheduled) => self.open_activity(event, scheduled),
                EventKind::StepStarted(started) => {
                    let queue = QueueName::new("q").unwrap();
                    let task = Task::step(event.id, event.at, started, &queue);
                    self.open.insert(event.id, Open { task, key: None });
                }
                EventKind::TimerStarted(started) => {
                    self.timers.insert(event.id, started.due);
                }
                EventKind::TimerCancelled(e) => {
                    self.timers.remove(&e.started).ok_or_else(|| format!("no timer {}", e.started))?;
                }
                EventKind::ActivityCancelRequested(e) => {
                    let outcome = self.tell(e.scheduled, TaskEvent::CancelRequested { at: self.now })?;
                    self.inbox.extend(outcome.closed);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn open_activity(&mut self, event: &Event, scheduled: &ActivityScheduled) {
        let task = Task::activity(event.id, event.at, scheduled);
        let key = Some(scheduled.idempotency_key.clone());
        self.open.insert(event.id, Open { task, key });
    }

    /// Tells a task of an event; forgets it if it is closed by it.
    fn tell(&mut self, id: EventId, event: TaskEvent) -> Result<TaskOutcome, String> {
        let open = self.open.get_mut(&id).ok_or_else(|| format!("{id} is not open"))?;
        let outcome = open.task.apply(event).map_err(|refused| format!("{id}: {refused}"))?;
        if outcome.closed.is_some() {
            self.open.remove(&id);
        }
        Ok(outcome)
    }

    fn cancel(&mut self) -> Result<(), String> {
        self.is_cancelled = true;
        let request_id = RequestId::new("c").unwrap();
        let cause = CancelCause::User { reason: "enough".into(), request_id };
        self.input(CancelRequested { cause }.into())
    }

    /// The engine ends the run: at once, or through its undos.
    fn impose(&mut self, cause: CancelCause) -> Result<(), String> {
        self.imposed = Some(cause.clone());
        if self.has_undos {
            return self.input(CancelRequested { cause }.into());
        }
        self.close_by_engine();
        Ok(())
    }

    fn close_by_engine(&mut self) {
        let (by, compensation) = (ClosedBy::Engine, self.live.executor.compensation());
        self.append(match self.imposed.clone() {
            Some(CancelCause::HistoryLimit(limit)) => {
                WorkflowFailed { error: WorkflowError::HistoryLimit(limit), by, compensation }.into()
            }
            Some(cause) => WorkflowTimedOut { cause, by, compensation }.into(),
            None => WorkflowTerminated {
                reason: "enough".to_owned(),
                undos_not_run: self.live.executor.undos(),
                compensation,
            }
            .into(),
        });
    }

    fn append(&mut self, kind: EventKind) {
        let id = EventId(self.record.history.len() as u64 + 1);
        self.record.history.push(Event { id, at: self.now, kind });
        // The code goes from memory; what is dropped with it says so.
        self.live.executor = Watched::new(self.program).executor;
        self.record.activations.push(Activated { end: self.record.history.len(), seen: self.live.look() });
    }

    fn fire(&mut self, id: EventId, due: Timestamp) -> Result<(), String> {
        self.timers.remove(&id);
        self.now = self.now.max(due);
        self.input(TimerFired { started: id }.into())
    }
}
