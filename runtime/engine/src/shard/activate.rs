//! One input, one activation.

use steadfast_core::history::{Compensation, Event, EventKind, FailedUndo};
use steadfast_core::{EventId, Timestamp};
use steadfast_store::StoreError;

use super::machine::Shard;
use super::run::LiveRun;
use super::work::Work;
use crate::client::closed_status;
use crate::head::{BlockedState, Fields};
use crate::message::Effect;

/// An activation that uses more processor time than this is reported.
const CPU_WARN: std::time::Duration = std::time::Duration::from_secs(1);

/// Somebody should look at what was not undone, whether its undo was given up or failed for good. What an operator
/// skipped, somebody has looked at.
fn flag_failed_undos(fields: &mut Fields) {
    let Compensation::Failed(failed) = &fields.compensation else { return };
    for FailedUndo { step, undo, .. } in failed.iter().filter(|undo| undo.skipped.is_none()) {
        let why = undo_failed(undo, *step);
        if !fields.attention.contains(&why) {
            fields.attention.push(why);
        }
    }
}

/// Why somebody should look at a run whose undo failed.
pub(super) fn undo_failed(undo: &str, step: Option<EventId>) -> String {
    match step {
        Some(step) => format!("the undo `{undo}` of step {step} failed"),
        None => format!("the undo `{undo}` failed"),
    }
}

impl Shard {
    /// Appends an input with what the code does about it. The inner error is why the code cannot take it; then
    /// nothing was appended.
    pub(super) fn activate(
        &mut self,
        work: &mut Work,
        input: EventKind,
    ) -> Result<Result<(), BlockedState>, StoreError> {
        if let Err(blocked) = self.ensure_executor(&mut work.run)? {
            return Ok(Err(blocked));
        }
        let at = self.now().max(work.run.fields.last_at);
        let activation = match self.run_code(&mut work.run, at, input) {
            Ok(activation) => activation,
            Err(reason) => {
                // A spent executor is of no use any more.
                work.run.executor = None;
                return Ok(Err(BlockedState { reason, is_missing: false, since: self.now() }));
            }
        };
        let fields = &mut work.run.fields;
        (fields.has_undos, fields.unwinding) = (activation.has_undos, activation.unwinding);
        if fields.unwinding {
            work.effects.push(Effect::Unwound);
        }
        if let Some(executor) = &work.run.executor {
            work.run.fields.compensation = executor.compensation();
            flag_failed_undos(&mut work.run.fields);
            work.run.fields.holds = executor.holds();
        }
        let events = activation.events;
        self.warn_if_long(&work.run, &events);
        self.follow_commands(work, &events)?;
        let closing = events.last().and_then(|event| closed_status(&event.kind));
        work.append(events);
        if let Some(status) = closing {
            self.close(work, status);
        }
        Ok(Ok(()))
    }

    fn run_code(
        &mut self,
        run: &mut LiveRun,
        at: Timestamp,
        input: EventKind,
    ) -> Result<steadfast_core::exec::Activation, String> {
        let head = &run.head;
        let run_span = tracing::info_span!("run", workflow_id = %head.workflow_id, run_id = %head.run_id);
        let _in_run = run_span.enter();
        let activation_span = tracing::info_span!("activation", input = input.name());
        let _in_activation = activation_span.enter();
        let Some(executor) = run.executor.as_mut() else {
            return Err("the run is not in memory".to_owned());
        };
        let (activation, used) = self.run_watched(head.run_id, || executor.activate(at, input));
        let activation = activation.map_err(|blocked| blocked.to_string());
        if used > CPU_WARN {
            tracing::warn!(
                ?used,
                "an activation used over a second of processor time; other runs wait meanwhile"
            );
        }
        activation
    }

    fn warn_if_long(&self, run: &LiveRun, events: &[Event]) {
        let warn = run.fields.limits.history_events_warn;
        let last = events.last().map_or(EventId(0), |event| event.id);
        if run.head.last_event.0 < warn && last.0 >= warn {
            tracing::warn!(
                workflow_id = %run.head.workflow_id,
                run_id = %run.id(),
                events = last.0,
                limit = run.fields.limits.history_events_max,
                "the history grows long",
            );
        }
    }
}
