//! What is shown of a run.

use steadfast_core::machine::{TaskKind, TaskState};
use steadfast_core::{Hold, HoldKind};
use steadfast_store::StoreError;

use super::activate::undo_failed;
use super::items::LiveItem;
use super::load::Opened;
use super::machine::Shard;
use super::run::LiveRun;
use crate::client::{ActivityState, OpenActivity, OpenTimer, RunDescription, RunSelector};
use crate::error::{ReadError, Unavailable};
use crate::head::{ItemBody, TaskItem};
use crate::message::{Answer, Effect, Reply};

impl Shard {
    /// The answer is released after the commit of the last change that it shows.
    pub(super) fn describe(&mut self, selector: &RunSelector, reply: Reply<RunDescription, ReadError>) {
        let described = self.description(selector);
        self.answer_read(described, reply);
    }

    /// Answers a question once everything that the answer shows is durable.
    pub(super) fn answer_read<T: Send + 'static>(
        &mut self,
        answer: Result<Result<(T, u64), ReadError>, StoreError>,
        reply: Reply<T, ReadError>,
    ) {
        match answer {
            Ok(Ok((value, ticket))) => self.after(ticket, Effect::Answer(Answer::new(reply, Ok(value)))),
            // Nobody waits for an answer that says nothing about a run.
            Ok(Err(error)) => drop(reply.send(Err(error))),
            Err(error) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                self.check(Err(error));
            }
        }
    }

    fn description(
        &mut self,
        selector: &RunSelector,
    ) -> Result<Result<(RunDescription, u64), ReadError>, StoreError> {
        let missing = || Ok(Err(ReadError::NotFound(selector.workflow_id.clone())));
        let Some(run) = self.select(selector)? else { return missing() };
        match self.open(run)? {
            Opened::Missing => missing(),
            Opened::Unreadable(reason) => Ok(Err(Unavailable::Unreadable(reason).into())),
            Opened::Run(work) if work.run.head.workflow_id != selector.workflow_id => {
                self.put_back(work.run);
                missing()
            }
            Opened::Run(mut work) => {
                let undos = self.undos(&mut work)?;
                let mut description = RunDescription { undos, ..describe(&work.run) };
                self.show_breakers(&work.run, &mut description.activities);
                let ticket = work.run.last_ticket;
                let run = work.run.id();
                self.put_back(work.run);
                self.evict_if_asked(run);
                Ok(Ok((description, ticket)))
            }
        }
    }
}

fn describe(run: &LiveRun) -> RunDescription {
    let (head, fields) = (&run.head, &run.fields);
    let said_by_hold =
        |text: &String| fields.holds.iter().any(|hold| failed_undo(hold).as_ref() == Some(text));
    let mut attention: Vec<String> =
        fields.attention.iter().filter(|text| !said_by_hold(text)).cloned().collect();
    attention.extend(fields.holds.iter().map(ToString::to_string));
    if !run.is_closed() {
        attention.extend(run.items.values().filter_map(waits_for));
        attention.extend(fields.blocked.as_ref().map(|blocked| blocked.reason.clone()));
    }
    let mut activities = Vec::new();
    let mut timers = Vec::new();
    for item in run.items.values() {
        match &item.body {
            ItemBody::Task(item) => activities.push(open_activity(item)),
            ItemBody::Timer(timer) => timers.push(OpenTimer {
                started: timer.started,
                due: timer.due,
                follows_wall_clock: timer.follows_wall_clock,
            }),
        }
    }
    RunDescription {
        workflow_id: head.workflow_id.clone(),
        run_id: head.run_id,
        workflow_type: head.workflow_type.clone(),
        version: fields.version.filter(|_| run.is_admitted()),
        queue: fields.queue.clone(),
        status: head.status,
        attention,
        blocked: fields.blocked.as_ref().map(|blocked| blocked.reason.clone()),
        started_at: fields.started_at,
        starts_at: fields.starts_at,
        closed_at: fields.closed_at,
        last_event: head.last_event,
        history_bytes: head.history_bytes,
        activities,
        timers,
        has_undos: fields.has_undos,
        undos: Vec::new(),
        holds: fields.holds.clone(),
        compensation: fields.compensation.clone(),
        mailbox: u64::try_from(run.mail.len()).unwrap_or(u64::MAX),
        is_cancel_requested: fields.user_cancelled,
        imposed: fields.imposed.clone(),
        deadline: fields.deadline.as_ref().map(|deadline| deadline.at),
    }
}

/// What is said elsewhere of an undo that waits for an operator because it failed.
pub(super) fn failed_undo(hold: &Hold) -> Option<String> {
    let HoldKind::FailedUndo { undo, .. } = &hold.kind else { return None };
    Some(undo_failed(undo, Some(hold.target)))
}

fn waits_for(item: &LiveItem) -> Option<String> {
    item.task()?.task.waits_for.clone()
}

fn open_activity(item: &TaskItem) -> OpenActivity {
    let task = &item.task;
    let (state, next_attempt_at) = match task.state {
        TaskState::Pending => (ActivityState::Pending, None),
        TaskState::Running { .. } => (ActivityState::Running, None),
        TaskState::RetryWait { until } => (ActivityState::RetryWait, Some(until)),
    };
    OpenActivity {
        scheduled: task.item,
        name: task.name().to_owned(),
        is_step: matches!(task.kind, TaskKind::Step(_)),
        undoes: item.undoes,
        queue: task.options.queue.clone(),
        state,
        attempt: task.attempt,
        scheduled_at: task.scheduled_at,
        next_attempt_at,
        deadline: task.deadline(),
        session: task.session(),
        last_failure: task.failures.last().cloned(),
        details: task.details.clone(),
        is_cancel_requested: task.cancel_requested.is_some(),
        waits_for: task.waits_for.clone(),
    }
}
