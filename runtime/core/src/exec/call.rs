//! Beginning a call: checks first, then the command, then the item that waits for its outcome.

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;

use super::cell::RunCell;
use super::context::RunContext;
use super::executor::StepBody;
use super::item::{Item, ItemFuture, ItemKind};
use super::record::Halted;
use super::step_record::StepRecord;
use crate::error::{CallError, CallRefused};
use crate::history::{ActivityScheduled, CallSite, EventKind, StepStarted, TimerStarted};
use crate::id::{ActivityName, EventId, IdempotencyKey};
use crate::options::ActivityOptions;
use crate::payload::Payload;
use crate::retry::RetryPolicy;
use crate::saga::SagaScope;
use crate::time::Timestamp;

/// The activity that undoes a step.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoSpec {
    /// Its name.
    pub activity: ActivityName,
    /// Its options; without a number of attempts it has 10.
    pub options: ActivityOptions,
    /// Whether it runs only after an operator approved.
    pub by_operator: bool,
}

/// A call of an activity, complete but not begun.
#[derive(Debug, Clone)]
pub struct ActivityCallSpec {
    /// Which activity.
    pub activity: ActivityName,
    /// The arguments, or why they could not be written.
    pub input: Result<Payload, crate::payload::PayloadError>,
    /// The key, if it is the user's own.
    pub idempotency_key: Option<String>,
    /// What was said of it at its declaration and at the call.
    pub options: ActivityOptions,
    /// What undoes it, if it is called as a step of a saga.
    pub undo: Option<UndoSpec>,
    /// Where the call stands.
    pub call_site: &'static Location<'static>,
}

/// A call of a step, complete but not begun.
#[derive(Clone)]
pub struct StepCallSpec {
    /// Its name.
    pub name: String,
    /// Makes the future of one attempt.
    pub body: StepBody,
    /// When to try again.
    pub retry: RetryPolicy,
    /// Where the call stands.
    pub call_site: &'static Location<'static>,
}

impl std::fmt::Debug for StepCallSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepCallSpec").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What became of the beginning of a call.
#[derive(Debug)]
pub enum CallStart {
    /// It is recorded; await its outcome.
    Open(ItemFuture),
    /// It was refused, and nothing was recorded.
    Refused(CallError),
    /// The run is being dropped: stay pending.
    Halted,
}

/// An activity that is to be recorded.
pub(crate) struct Scheduling {
    pub(crate) activity: ActivityName,
    pub(crate) input: Payload,
    /// The run makes one if there is none.
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) options: ActivityOptions,
    /// For an undo: the step.
    pub(crate) undoes: Option<EventId>,
    /// The saga that it belongs to.
    pub(crate) saga: Option<u32>,
    /// For a step of a saga: what undoes it.
    pub(crate) compensate: Option<ActivityName>,
    pub(crate) attempts_before: u32,
    pub(crate) call_site: CallSite,
}

/// An activity as it is recorded: in replay, as it was.
pub(crate) struct Scheduled {
    pub(crate) id: EventId,
    pub(crate) input: Payload,
    pub(crate) key: IdempotencyKey,
    pub(crate) call_site: CallSite,
}

impl RunContext {
    /// Begins an activity, in a saga if one is given.
    #[must_use]
    pub fn start_activity(&self, call: ActivityCallSpec, saga: Option<&SagaScope>) -> CallStart {
        let ActivityCallSpec { activity, input, idempotency_key, options, undo, call_site } = call;
        let cell = &self.cell;
        if cell.is_halted() {
            return CallStart::Halted;
        }
        if saga.is_some_and(SagaScope::is_closed) {
            return CallStart::Refused(CallError::Refused(CallRefused::SagaClosed));
        }
        if self.is_cancelled() {
            return CallStart::Refused(CallError::Cancelled);
        }
        let checked = check_room(cell).and_then(|()| {
            let input = input.map_err(|error| CallRefused::Input(error.0))?;
            let limit = cell.info().limits.payload_bytes_max;
            input.check_size(limit, || format!("input of `{activity}`")).map_err(CallRefused::TooLarge)?;
            let key = idempotency_key
                .map(|key| IdempotencyKey::new(key).map_err(|error| CallRefused::Key(error.to_string())))
                .transpose()?;
            Ok((input, key))
        });
        let (input, key) = match checked {
            Ok(checked) => checked,
            Err(refused) => return CallStart::Refused(CallError::Refused(refused)),
        };
        let undo = undo.filter(|_| saga.is_some());
        let scheduled = self.record_activity(Scheduling {
            activity,
            input,
            key,
            options,
            undoes: None,
            saga: saga.map(SagaScope::number),
            compensate: undo.as_ref().map(|undo| undo.activity.clone()),
            attempts_before: 0,
            call_site: call_site.into(),
        });
        let Ok(scheduled) = scheduled else { return CallStart::Halted };
        let id = scheduled.id;
        let step = saga.map(|saga| saga.register(StepRecord::new(scheduled, undo)));
        CallStart::Open(self.open_activity(id, Rc::default(), step))
    }

    /// Records that an activity is to be run.
    pub(crate) fn record_activity(&self, activity: Scheduling) -> Result<Scheduled, Halted> {
        let cell = &self.cell;
        let Scheduling {
            activity,
            input,
            key,
            options,
            undoes,
            saga,
            compensate,
            attempts_before,
            call_site,
        } = activity;
        let event = ActivityScheduled {
            activity,
            undoes,
            input,
            idempotency_key: key.unwrap_or_else(|| default_key(cell)),
            attempts_before,
            options: options.or(&cell.defaults).settle(&cell.info().queue, undoes.is_some()),
            saga,
            compensate,
            call_site,
        };
        let facts = |kind: &EventKind| {
            let EventKind::ActivityScheduled(e) = kind else { return None };
            Some((e.input.clone(), e.idempotency_key.clone(), e.call_site.clone()))
        };
        let (id, facts) = cell.record(event.into(), facts)?;
        let (input, key, call_site) = facts.ok_or(Halted)?;
        Ok(Scheduled { id, input, key, call_site })
    }

    /// Waits for a recorded activity; `attempts` is told how many there were.
    pub(crate) fn open_activity(
        &self,
        id: EventId,
        attempts: Rc<Cell<u32>>,
        step: Option<Rc<StepRecord>>,
    ) -> ItemFuture {
        self.open(id, ItemKind::Activity { cancel_requested: false, attempts }, step)
    }

    /// Begins a step of the workflow's own.
    #[must_use]
    pub fn start_step(&self, call: StepCallSpec) -> CallStart {
        let cell = &self.cell;
        if cell.is_halted() {
            return CallStart::Halted;
        }
        if self.is_cancelled() {
            return CallStart::Refused(CallError::Cancelled);
        }
        if let Err(refused) = check_room(cell) {
            return CallStart::Refused(CallError::Refused(refused));
        }
        let event = StepStarted { name: call.name, retry: call.retry, call_site: call.call_site.into() };
        let Ok(id) = cell.record_only(event) else { return CallStart::Halted };
        CallStart::Open(self.open(id, ItemKind::Step(call.body), None))
    }

    /// Begins a timer that fires at `due`; what is past fires at once.
    #[must_use]
    pub fn start_timer(
        &self,
        due: Timestamp,
        follows_wall_clock: bool,
        call_site: &'static Location<'static>,
    ) -> CallStart {
        if self.cell.is_halted() {
            return CallStart::Halted;
        }
        if self.is_cancelled() {
            return CallStart::Refused(CallError::Cancelled);
        }
        let event = TimerStarted { due, follows_wall_clock, call_site: call_site.into() };
        let Ok(id) = self.cell.record_only(event) else { return CallStart::Halted };
        CallStart::Open(self.open(id, ItemKind::Timer, None))
    }

    fn open(&self, id: EventId, kind: ItemKind, step: Option<Rc<StepRecord>>) -> ItemFuture {
        let item =
            Item { kind, scope: Rc::clone(&self.scope), outcome: None, waker: None, abandoned: false, step };
        self.cell.items.borrow_mut().insert(id, item);
        ItemFuture::new(Rc::clone(&self.cell), id)
    }
}

/// The key that is fixed when an activity is first recorded: the same for every attempt, never the attempt's number.
fn default_key(cell: &RunCell) -> IdempotencyKey {
    let info = cell.info();
    let event = cell.last.get().next();
    let long = format!("{}/{}/{event}", info.workflow_id, info.run_id);
    // A workflow id of nearly the maximal length leaves no room; the run id alone is unique too.
    IdempotencyKey::new(long).unwrap_or_else(|_| {
        #[expect(clippy::expect_used, reason = "a UUID and a number are never empty, blank or long")]
        IdempotencyKey::new(format!("{}/{event}", info.run_id)).expect("a short key")
    })
}

fn check_room(cell: &RunCell) -> Result<(), CallRefused> {
    let limit = cell.info().limits.open_activities_max;
    let open = u32::try_from(cell.machine.borrow().open_tasks()).unwrap_or(u32::MAX);
    if open < limit { Ok(()) } else { Err(CallRefused::TooManyOpen { open, limit }) }
}
