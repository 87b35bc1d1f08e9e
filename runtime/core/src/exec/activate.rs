//! One activation: the input takes effect, then the woken tasks are polled until nothing is woken.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::task::{Context, Poll};

use super::blocked::Blocked;
use super::context::{RunContext, RunInfo, Stop};
use super::executor::Executor;
use super::item::Outcome;
use super::step_record::Ended;
use super::tasks::TaskRole;
use super::waker::TaskId;
use crate::error::CallError;
use crate::failure::{AttemptError, Effect, TimeoutKind};
use crate::history::{ActivityTimedOut, AttemptSummary, CancelRequested, Event, EventKind, WorkflowStarted};
use crate::machine::HistoryError;
use crate::panics::end_panic;

impl Executor {
    /// Follows an event that changes no future.
    pub(super) fn follow(&self, event: &Event) -> Result<(), Blocked> {
        self.cell.machine.borrow_mut().apply(event).map_err(Blocked::History)?;
        self.cell.last.set(event.id);
        self.cell.now.set(event.at);
        Ok(())
    }

    pub(super) fn run_activation(&self, input: &Event) -> Result<(), Blocked> {
        self.follow(input)?;
        self.cell.wakes.enter();
        self.take_effect(input);
        self.poll_until_still();
        self.cell.wakes.leave();
        if let Some(blocked) = self.verdict() {
            self.drop_futures();
            return Err(blocked);
        }
        Ok(())
    }

    /// What speaks against the activation, now that everything stands still.
    fn verdict(&self) -> Option<Blocked> {
        if let Some(fault) = self.cell.take_fault() {
            return Some(fault);
        }
        if self.cell.wakes.take_foreign() {
            return Some(Blocked::ForeignWake);
        }
        if let Some(mismatch) = self.cell.recorder.borrow().missing() {
            return Some(Blocked::Mismatch(Box::new(mismatch)));
        }
        let closed = self.cell.machine.borrow().state() == crate::machine::RunState::Closed;
        let waits = self.cell.items.borrow().values().any(|item| item.outcome.is_none())
            || !self.cell.cancel_waits.borrow().is_empty()
            || !self.cell.sagas.holds.borrow().is_empty();
        (!closed && !waits).then_some(Blocked::Stuck)
    }

    fn take_effect(&self, input: &Event) {
        let cell = &self.cell;
        match &input.kind {
            EventKind::WorkflowStarted(started) => self.begin(started, input),
            EventKind::ActivityCompleted(e) => {
                cell.resolve(e.scheduled, Outcome::Completed(e.output.clone()), &done(&e.attempts));
            }
            EventKind::ActivityFailed(e) => {
                let error = call_error(&e.error, e.exhausted, e.attempts.attempt);
                cell.resolve(e.scheduled, Outcome::Failed(error), &Ended::of(&e.attempts));
            }
            EventKind::ActivityTimedOut(e) => {
                cell.resolve(e.scheduled, Outcome::Failed(timeout_error(e)), &Ended::of(&e.attempts));
            }
            EventKind::ActivityCancelled(e) => {
                cell.resolve(e.scheduled, Outcome::CANCELLED, &Ended::of(&e.attempts));
            }
            EventKind::StepCompleted(e) => {
                cell.resolve(e.started, Outcome::Completed(e.output.clone()), &done(&e.attempts));
            }
            EventKind::StepFailed(e) => {
                let error = call_error(&e.error, e.exhausted, e.attempts.attempt);
                cell.resolve(e.started, Outcome::Failed(error), &Ended::of(&e.attempts));
            }
            EventKind::TimerFired(e) => cell.resolve(e.started, Outcome::Fired, &NO_ATTEMPTS),
            EventKind::CancelRequested(e) => self.request_cancel(e),
            EventKind::OperatorDecided(e) => {
                if let Err(problem) = cell.decide(e) {
                    cell.fault(Blocked::History(HistoryError { id: input.id, problem }));
                }
            }
            EventKind::ActivityScheduled(_)
            | EventKind::ActivityCancelRequested(_)
            | EventKind::TimerStarted(_)
            | EventKind::TimerCancelled(_)
            | EventKind::StepStarted(_)
            | EventKind::SideEffectRecorded(_)
            | EventKind::CompensationStarted(_)
            | EventKind::CompensationFinished(_)
            | EventKind::WorkflowCompleted(_)
            | EventKind::WorkflowFailed(_)
            | EventKind::WorkflowCancelled(_)
            | EventKind::WorkflowTimedOut(_)
            | EventKind::WorkflowTerminated(_) => {}
        }
    }

    fn begin(&self, started: &WorkflowStarted, input: &Event) {
        let cell = &self.cell;
        if cell.info.set(RunInfo::new(started, input.at)).is_err() {
            return; // The machine has refused a second start before.
        }
        *cell.random.borrow_mut() = rand_pcg::Pcg64Mcg::new(spread(started.seed));
        let context = RunContext { cell: Rc::clone(cell), scope: Rc::clone(&cell.root) };
        let main = self.definition.call(context, started.input.clone());
        let result_of = Rc::downgrade(cell);
        let task = Box::pin(async move {
            let result = main.await;
            if let Some(cell) = result_of.upgrade() {
                *cell.result.borrow_mut() = Some(result);
            }
        });
        drop(cell.add_task(TaskRole::Main, task));
    }

    fn request_cancel(&self, request: &CancelRequested) {
        let cell = &self.cell;
        if request.cause.is_imposed() {
            let began = cell.sagas.began.get();
            *cell.imposed.borrow_mut() = Some((request.cause.clone(), began));
        } else {
            cell.cancelled_by_user.set(true);
        }
        cell.cancel_scope(&Rc::clone(&cell.root));
    }

    fn poll_until_still(&self) {
        loop {
            while let Some(task) = self.cell.wakes.pop() {
                self.poll_task(task);
                if self.cell.is_halted() {
                    return;
                }
            }
            if !self.end_main() {
                return;
            }
        }
    }

    fn poll_task(&self, task: TaskId) {
        let cell = &self.cell;
        let taken = cell.tasks.borrow_mut().get_mut(task).and_then(|slot| {
            let future = slot.future.take()?;
            Some((future, slot.waker.clone(), slot.role))
        });
        let Some((mut future, waker, role)) = taken else { return };
        let polled =
            catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
        match polled {
            Ok(Poll::Pending) => {
                if let Some(slot) = cell.tasks.borrow_mut().get_mut(task) {
                    slot.future = Some(future);
                }
            }
            Ok(Poll::Ready(())) => {
                let slot = cell.tasks.borrow_mut().remove(task);
                if role == TaskRole::Main {
                    cell.tasks.borrow_mut().main_is_over = true;
                }
                drop((slot, future));
            }
            Err(payload) => {
                if !payload.is::<Stop>() {
                    cell.fault(Blocked::Panic { message: end_panic(payload) });
                }
                cell.begin_dropping();
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(future))) {
                    end_panic(payload);
                }
            }
        }
    }

    /// Once the main function is over: drops what it spawned, and closes when no saga unwinds any more. Says whether
    /// there is something to poll again.
    fn end_main(&self) -> bool {
        let cell = &self.cell;
        if cell.result.borrow().is_none() {
            return false;
        }
        let spawned = cell.tasks.borrow().spawned();
        let more = !spawned.is_empty();
        for task in spawned {
            let slot = cell.tasks.borrow_mut().remove(task);
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(slot))) {
                cell.fault(Blocked::Panic { message: end_panic(payload) });
                return false;
            }
        }
        if more {
            return true;
        }
        if !cell.tasks.borrow().is_unwinding()
            && let Some(result) = cell.result.borrow_mut().take()
        {
            let closing = cell.closing_event(result);
            let _ = cell.record_only(closing);
        }
        false
    }
}

/// A timer has no attempts and no effect outside.
const NO_ATTEMPTS: Ended = Ended { effect: Effect::None, attempts: 0, severity: None };

/// Success: the effect is there, whatever earlier attempts said.
fn done(attempts: &AttemptSummary) -> Ended {
    Ended { effect: Effect::Done, ..Ended::of(attempts) }
}

/// A seed of 64 bits as a state of 128 bits that is never zero.
fn spread(seed: u64) -> u128 {
    (u128::from(seed) << 64 | u128::from(!seed)) | 1
}

fn call_error(error: &AttemptError, exhausted: bool, attempts: u32) -> CallError {
    if exhausted {
        CallError::Exhausted { last: error.clone(), attempts }
    } else {
        CallError::Failed(error.clone())
    }
}

fn timeout_error(event: &ActivityTimedOut) -> CallError {
    let (timeout, attempts) = (event.timeout, event.attempts.attempt);
    match timeout {
        TimeoutKind::ScheduleToStart => CallError::TimedOut { timeout, reason: event.reason.clone() },
        TimeoutKind::ScheduleToClose if event.reason.is_some() => {
            CallError::TimedOut { timeout, reason: event.reason.clone() }
        }
        TimeoutKind::StartToClose | TimeoutKind::ScheduleToClose | TimeoutKind::Heartbeat => {
            CallError::Exhausted { last: AttemptError::TimedOut(timeout), attempts }
        }
    }
}
