//! One undo of one step: its calls, and what they are told of the step.

use std::cell::Cell;
use std::future::pending;
use std::rc::Rc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::exec::{Outcome, RunContext, Scheduling, StepRecord, UndoSpec};
use crate::failure::Effect;
use crate::history::FailedUndo;
use crate::id::IdempotencyKey;
use crate::payload::{Encoding, Payload};

/// The undo of one step, with what became of it so far.
pub(super) struct StepUndo {
    pub(super) step: Rc<StepRecord>,
    spec: UndoSpec,
    /// The key of its first call, which the later ones share.
    key: Option<IdempotencyKey>,
    pub(super) attempts: u32,
    /// The last error, in words; empty if it never ran.
    pub(super) error: String,
}

impl StepUndo {
    pub(super) fn new(step: Rc<StepRecord>, spec: UndoSpec) -> Self {
        Self { step, spec, key: None, attempts: 0, error: String::new() }
    }

    pub(super) fn name(&self) -> String {
        self.spec.activity.as_str().to_owned()
    }

    /// What is told of it if the step still stands.
    pub(super) fn failed(self, skipped: Option<String>) -> FailedUndo {
        let undo = self.name();
        FailedUndo { step: Some(self.step.id), undo, attempts: self.attempts, error: self.error, skipped }
    }

    /// Calls the undo, once more if it was called before. Says whether it succeeded.
    pub(super) async fn run(&mut self, context: &RunContext, saga: u32) -> bool {
        let input = match undo_input(&self.step) {
            Ok(input) => input,
            Err(error) => {
                self.error = error;
                return false;
            }
        };
        let scheduled = context.record_activity(Scheduling {
            activity: self.spec.activity.clone(),
            input,
            key: self.key.clone(),
            options: self.spec.options.clone(),
            undoes: Some(self.step.id),
            saga: Some(saga),
            compensate: None,
            attempts_before: self.attempts,
            call_site: self.step.call_site.clone(),
        });
        let Ok(scheduled) = scheduled else { return pending().await };
        self.key = Some(scheduled.key);
        let attempts = Rc::new(Cell::new(self.attempts));
        let outcome = context.open_activity(scheduled.id, Rc::clone(&attempts), None).await;
        self.attempts = attempts.get();
        match outcome {
            Outcome::Completed(_) | Outcome::Fired => true,
            Outcome::Failed(error) => {
                self.error = error.to_string();
                false
            }
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
    let output = settled.as_ref().and_then(|settled| settled.output.as_ref());
    let effect = settled.as_ref().map_or(Effect::Unknown, |settled| settled.effect);
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
