//! Unwinding: open steps are cancelled and awaited, then the undos run, one at a time, newest first.

use std::future::{Future, pending, poll_fn, ready};
use std::rc::Rc;
use std::task::Poll;

use futures::future::Either;
use serde::Serialize;
use serde_json::value::RawValue;

use super::entry::{Entry, settled};
use super::nested::Stage;
use super::scope::SagaScope;
use crate::error::CallError;
use crate::exec::{CallStart, Outcome, RunContext, StepRecord, UndoSpec};
use crate::exec::{Standing, TaskRole};
use crate::failure::Effect;
use crate::history::{CompensationFinished, CompensationStarted, FailedUndo};
use crate::payload::{Encoding, Payload};

/// What is to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwinding {
    /// Only steps whose result never reached the code.
    Losers,
    /// Everything.
    All,
}

/// Unwinds as a task of the run and waits for it. If the saga unwinds already, the same task does what is asked.
///
/// Unwinding everything, the saga has failed; what runs in it is unwound with it.
pub(super) fn unwind(saga: &SagaScope, what: Unwinding, cause: String) -> impl Future<Output = ()> + use<> {
    if what == Unwinding::All {
        saga.0.stage.set(Stage::Failed);
        saga.take_over();
    }
    if saga.0.unwinding.borrow().is_some() {
        *saga.0.unwinding.borrow_mut() = Some(what);
        return Either::Left(ready(()));
    }
    let nothing = saga
        .0
        .entries
        .borrow()
        .iter()
        .all(|entry| entry.step().is_some_and(|step| step.is_settled() && step.needed_undo().is_none()));
    if nothing {
        // Whoever undoes something further out waits for what unwinds further in.
        saga.hand_over_unwinding();
        return Either::Left(ready(()));
    }
    if let Some(around) = saga.around() {
        around.wait_for([saga.clone()]);
    }
    *saga.0.unwinding.borrow_mut() = Some(what);
    let book = &saga.0.context.cell.sagas;
    book.unwinding.set(book.unwinding.get() + 1);
    book.began.set(true);
    Either::Right(saga.0.context.spawn_as(TaskRole::Unwinding, unwind_all(saga.clone(), cause)))
}

async fn unwind_all(saga: SagaScope, cause: String) {
    let cell = Rc::clone(&saga.0.context.cell);
    let number = saga.0.number;
    if cell.record_only(CompensationStarted { saga: number, cause }).is_err() {
        return pending().await;
    }
    for step in saga.steps() {
        if !step.is_settled() {
            cell.cancel_item(step.id);
        }
    }
    settled(saga.steps()).await;
    let context = saga.0.context.disconnected();
    let (mut undone, mut failed) = (0, Vec::new());
    loop {
        let below = saga.0.unwinding_below.take();
        for nested in below.iter().rev() {
            ended(nested).await;
        }
        let Some(entry) = next_entry(&saga) else { break };
        if let Some(step) = entry.step() {
            // One that was taken over meanwhile may be open.
            over(&context, Rc::clone(step)).await;
        }
        match undo(&context, entry).await {
            Ok(ran) => undone += u32::from(ran),
            Err(undo) => failed.push(undo),
        }
    }
    let book = &cell.sagas;
    book.undone.set(book.undone.get() + undone);
    book.failed.borrow_mut().extend(failed.iter().cloned());
    book.unwinding.set(book.unwinding.get().saturating_sub(1));
    *saga.0.unwinding.borrow_mut() = None;
    if let Some(waker) = saga.0.waiter.borrow_mut().take() {
        waker.wake();
    }
    if cell.record_only(CompensationFinished { saga: number, undone, failed }).is_err() {
        pending::<()>().await;
    }
}

/// Cancels a step that is open, and waits for its end.
async fn over(context: &RunContext, step: Rc<StepRecord>) {
    if !step.is_settled() {
        context.cell.cancel_item(step.id);
        settled(vec![step]).await;
    }
}

/// Waits until a saga unwinds no more.
async fn ended(saga: &SagaScope) {
    poll_fn(|cx| {
        if saga.0.unwinding.borrow().is_none() {
            return Poll::Ready(());
        }
        *saga.0.waiter.borrow_mut() = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
}

/// The next entry to undo; what is asked for may have grown meanwhile.
fn next_entry(saga: &SagaScope) -> Option<Entry> {
    let what = (*saga.0.unwinding.borrow()).unwrap_or(Unwinding::All);
    let mut entries = saga.0.entries.borrow_mut();
    match what {
        Unwinding::All => entries.pop(),
        Unwinding::Losers => {
            let index = entries.iter().rposition(SagaScope::is_loser)?;
            Some(entries.remove(index))
        }
    }
}

/// Runs one undo; says whether there was something to do.
async fn undo(context: &RunContext, entry: Entry) -> Result<bool, FailedUndo> {
    let book = &context.cell.sagas;
    match entry {
        Entry::Own(_, own) => {
            let result = own(context.clone()).await;
            book.own.set(book.own.get().saturating_sub(1));
            result.map(|()| true).map_err(|error| FailedUndo {
                step: None,
                undo: "on_undo".to_owned(),
                attempts: 1,
                error: error.to_string(),
            })
        }
        Entry::Step(step) => {
            let result = match step.needed_undo() {
                Some(spec) => undo_step(context, &step, spec).await.map(|()| true),
                None => Ok(false),
            };
            book.registered.borrow_mut().remove(&step.id);
            result
        }
    }
}

async fn undo_step(context: &RunContext, step: &StepRecord, spec: &UndoSpec) -> Result<(), FailedUndo> {
    let fail = |attempts, error: String| FailedUndo {
        step: Some(step.id),
        undo: spec.activity.as_str().to_owned(),
        attempts,
        error,
    };
    let input = undo_input(step).map_err(|error| fail(0, error))?;
    let standing = Standing::Undo { step: step.id, call_site: step.call_site.clone() };
    let start = context.schedule(spec.activity.clone(), input, None, spec.options.clone(), standing, None);
    let outcome = match start {
        CallStart::Open(item) => item.await,
        CallStart::Refused(error) => Outcome::Failed(error),
        CallStart::Halted => return pending().await,
    };
    match outcome {
        Outcome::Completed(_) | Outcome::Fired => Ok(()),
        Outcome::Failed(error) => {
            let attempts = if let CallError::Exhausted { attempts, .. } = &error { *attempts } else { 1 };
            Err(fail(attempts, error.to_string()))
        }
    }
}

/// What an undo receives: the JSON form of the user's `Undo` type, put together from the recorded texts.
#[derive(Serialize)]
struct UndoInput<'a> {
    input: Box<RawValue>,
    output: Option<Box<RawValue>>,
    idempotency_key: &'a str,
    effect: &'static str,
}

fn undo_input(step: &StepRecord) -> Result<Payload, String> {
    let settled = step.settled.borrow();
    let (output, effect) =
        settled.as_ref().map_or((None, Effect::Unknown), |(output, effect)| (output.as_ref(), *effect));
    let raw = |payload: &Payload| payload.raw().ok_or_else(|| "the step's values are not JSON".to_owned());
    let input = UndoInput {
        input: raw(&step.input)?,
        output: output.map(raw).transpose()?,
        idempotency_key: step.key.as_str(),
        effect: match effect {
            Effect::None => "none",
            Effect::Done => "done",
            Effect::Unknown => "unknown",
        },
    };
    let bytes = serde_json::to_vec(&input).map_err(|error| error.to_string())?;
    Ok(Payload::new(Encoding::Json, bytes))
}
