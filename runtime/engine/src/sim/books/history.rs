//! Events that were committed: well formed, what the code decides, and what really happened.

use steadfast_core::ActivityOptions;
use steadfast_core::EventId;
use steadfast_core::exec::Executor;
use steadfast_core::history::{Event, EventKind, Role, WorkflowStarted};

use super::book::Books;
use super::run::RunBook;

impl Books {
    /// Follows new events of a run.
    pub(super) fn follow(&mut self, run: &mut RunBook, new: &[Event]) -> Result<(), String> {
        if new.is_empty() {
            return Ok(());
        }
        check_grammar(new)?;
        for event in new {
            *self.events.entry(event.kind.name()).or_default() += 1;
            run.machine.apply(event).map_err(|error| error.to_string())?;
            if event.at < Self::last_at(run) {
                return Err(format!("event {} is older than the one before it", event.id));
            }
            run.events.push(event.clone());
            self.check_event(run, event)?;
        }
        self.follow_code(run, new)
    }

    fn check_event(&mut self, run: &mut RunBook, event: &Event) -> Result<(), String> {
        match &event.kind {
            EventKind::ActivityScheduled(scheduled) => {
                run.open.insert(event.id);
                let key = scheduled.idempotency_key.clone();
                if let Some(other) = self.keys.insert(key, (run.id, event.id)) {
                    return Err(format!("activity {} has the idempotency key of {other:?}", event.id));
                }
            }
            EventKind::TimerStarted(_) | EventKind::StepStarted(_) => {
                run.open.insert(event.id);
            }
            EventKind::TimerCancelled(cancelled) => {
                run.open.remove(&cancelled.started);
            }
            EventKind::TimerFired(fired) => {
                run.open.remove(&fired.started);
                check_due_time(run, event, fired.started)?;
            }
            EventKind::ActivityCompleted(_)
            | EventKind::ActivityFailed(_)
            | EventKind::ActivityTimedOut(_)
            | EventKind::ActivityCancelled(_)
            | EventKind::StepCompleted(_)
            | EventKind::StepFailed(_) => self.check_end(run, event)?,
            EventKind::WorkflowStarted(started) => self.check_start(run, started)?,
            EventKind::CancelRequested(_)
            | EventKind::OperatorDecided(_)
            | EventKind::ActivityCancelRequested(_)
            | EventKind::SideEffectRecorded(_)
            | EventKind::CompensationStarted(_)
            | EventKind::CompensationFinished(_)
            | EventKind::WorkflowCompleted(_)
            | EventKind::WorkflowFailed(_)
            | EventKind::WorkflowCancelled(_)
            | EventKind::WorkflowTimedOut(_)
            | EventKind::WorkflowTerminated(_) => {}
        }
        run.sagas.follow(event, &mut self.counts)
    }

    fn check_start(&self, run: &mut RunBook, started: &WorkflowStarted) -> Result<(), String> {
        if started.run_id != run.id || started.workflow_id != run.workflow {
            return Err(format!("the run begins as {} of `{}`", started.run_id, started.workflow_id));
        }
        let code = self.definitions.get(&started.workflow_type).cloned();
        let code = code.ok_or_else(|| format!("`{}` is not in the plan", started.workflow_type))?;
        run.shadow = Some(Executor::new(code, ActivityOptions::default()));
        Ok(())
    }

    /// The same code on the same events decides the same; and the head says of it what it says of itself.
    fn follow_code(&self, run: &mut RunBook, new: &[Event]) -> Result<(), String> {
        let Some(shadow) = &mut run.shadow else { return Err("there is no first event".to_owned()) };
        shadow
            .replay(new)
            .map_err(|blocked| format!("the code does not do what was committed: {blocked}"))?;
        if !run.head.status.is_open() {
            run.shadow = None;
            return Ok(());
        }
        let fields = &run.fields;
        let own = (shadow.has_undos(), shadow.is_unwinding(), shadow.compensation());
        let said = (fields.has_undos, fields.unwinding, fields.compensation.clone());
        if own == said {
            Ok(())
        } else {
            Err(format!("the head says {said:?} of the sagas, the code {own:?}"))
        }
    }
}

/// `input command* input command* …`: a commit begins with an input, or is the engine's own end.
fn check_grammar(new: &[Event]) -> Result<(), String> {
    let Some(first) = new.first() else { return Ok(()) };
    if first.kind.role() == Role::Command {
        return Err(format!("{} {} stands without its input", first.id, first.kind.name()));
    }
    let closes = new.iter().position(|event| event.kind.role() == Role::Close);
    match closes {
        Some(index) if index + 1 != new.len() => {
            Err(format!("event {} closes and is not last", new[index].id))
        }
        Some(_) | None => Ok(()),
    }
}

/// A timer does not fire early.
fn check_due_time(run: &RunBook, event: &Event, started: EventId) -> Result<(), String> {
    match run.timer(started) {
        Some(timer) if !timer.follows_wall_clock && event.at < timer.due => {
            Err(format!("timer {started} fires at {}, before {}", event.at, timer.due))
        }
        Some(_) | None => Ok(()),
    }
}
