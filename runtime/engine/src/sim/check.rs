//! What must be true.

use steadfast_core::exec::Executor;
use steadfast_core::history::{Event, EventKind};
use steadfast_core::machine::{RunMachine, RunState};
use steadfast_core::{ActivityOptions, EventId, RunId, SessionId, ShardId, codec, decode_events};
use steadfast_store::{Due, DueEntry, Runs, Sessions, StoreError, load_history};

use super::client::Wish;
use super::world::World;
use crate::activity::AttemptKey;
use crate::head::{HeadBody, ItemBody};

impl World {
    /// A body begins only after its grant is durable, and an activity whose end is durable is not begun again by
    /// an engine whose session has not ended.
    pub(super) fn check_begun(&self, key: AttemptKey, by: Option<SessionId>) -> Result<(), String> {
        let ended = self.check_not_ended(key, by)?;
        if ended || self.has_grant(key).map_err(|error| error.to_string())? {
            return Ok(());
        }
        Err(format!("{key:?} begins, and its grant is not stored"))
    }

    /// Whether the store knows of this attempt, or of a later one, or the run is closed.
    fn has_grant(&self, key: AttemptKey) -> Result<bool, StoreError> {
        let Some(head) = self.store.head(key.shard, key.run)? else { return Ok(false) };
        if !head.status.is_open() {
            return Ok(true);
        }
        let rows = self.store.items(key.shard, key.run, None, usize::MAX)?;
        let row = rows.into_iter().find(|row| row.item == key.item);
        let row = row.and_then(|row| codec::decode::<ItemBody>(&row.body).ok());
        let inline = HeadBody::decode(&head.body).ok().map(|body| body.items).unwrap_or_default();
        let item = row.or_else(|| inline.into_iter().find(|item| item.id() == key.item));
        Ok(match item {
            Some(ItemBody::Task(item)) => item.task.attempt >= key.attempt,
            Some(ItemBody::Timer(_)) => false,
            // Its end may wait in the mailbox of a run that cannot be activated.
            None => head.status == steadfast_store::RunStatus::Blocked,
        })
    }

    /// Whether the end of the activity is durable; a fault if an engine that lives begins it all the same.
    fn check_not_ended(&self, key: AttemptKey, by: Option<SessionId>) -> Result<bool, String> {
        let lives = by.is_some_and(|session| self.alive().contains(&session));
        let records = self.store.history(key.shard, key.run, key.item, usize::MAX);
        let records = records.map_err(|error| error.to_string())?;
        for record in records {
            let events = decode_events(&record.body).map_err(|error| error.to_string())?;
            if let Some(end) = events.iter().find(|event| closes(&event.kind) == Some(key.item)) {
                if lives {
                    return Err(format!("{key:?} begins, although event {} has ended it", end.id));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn alive(&self) -> Vec<SessionId> {
        self.store.sessions().unwrap_or_default().into_iter().map(|session| session.id).collect()
    }

    /// The end: every wish came true, and every history tells it.
    pub(super) fn check_all(&self) -> Result<u64, String> {
        let mut events = 0;
        for wish in &self.wishes {
            events += self.check_wish(wish)?;
        }
        for shard in 0..self.store.shard_count() {
            let all = self.store.due(ShardId(shard), None, steadfast_core::Timestamp::MAX, 10);
            let left: Vec<DueEntry> = all.map_err(|error| error.to_string())?;
            if !left.is_empty() {
                return Err(format!("due keys are left in shard {shard}: {left:?}"));
            }
        }
        Ok(events)
    }

    fn check_wish(&self, wish: &Wish) -> Result<u64, String> {
        let workflow = &wish.request.workflow_id;
        let Some(run) = wish.started else { return Err(format!("`{workflow}` was never started")) };
        let Some(outcome) = &wish.outcome else {
            return Err(format!(
                "`{workflow}` did not end although nothing goes wrong any more: {}",
                self.state_of(wish)
            ));
        };
        let events = self.events(wish, run)?;
        match events.last() {
            Some(last) if last.kind == outcome.closing => {}
            last => return Err(format!("`{workflow}` was acknowledged as {outcome:?}, stored is {last:?}")),
        }
        let cancelled = events.iter().any(|event| matches!(event.kind, EventKind::CancelRequested(_)));
        if wish.is_cancelled && !cancelled {
            return Err(format!("the cancel of `{workflow}` was acknowledged and is not recorded"));
        }
        self.replay(&events).map_err(|problem| format!("`{workflow}`: {problem}"))?;
        Ok(u64::try_from(events.len()).unwrap_or(0))
    }

    fn events(&self, wish: &Wish, run: RunId) -> Result<Vec<Event>, String> {
        let workflow = &wish.request.workflow_id;
        let shard = workflow.shard(self.store.shard_count());
        let head = self.store.head(shard, run).map_err(|error| error.to_string())?;
        let Some(head) = head else { return Err(format!("the acknowledged run of `{workflow}` is lost")) };
        let events =
            load_history(&self.store, shard, &head).map_err(|error| format!("`{workflow}`: {error}"))?;
        let mut machine = RunMachine::new();
        for event in &events {
            machine.apply(event).map_err(|error| format!("`{workflow}`: {error}"))?;
        }
        if machine.state() != RunState::Closed {
            return Err(format!("`{workflow}` has no closing event"));
        }
        Ok(events)
    }

    fn replay(&self, events: &[Event]) -> Result<(), String> {
        let Some(Event { kind: EventKind::WorkflowStarted(started), .. }) = events.first() else {
            return Err("the first event is no start".to_owned());
        };
        let definition = self
            .plan
            .definitions
            .iter()
            .find(|definition| *definition.workflow_type() == started.workflow_type)
            .ok_or_else(|| format!("`{}` is not in the plan", started.workflow_type))?;
        let mut executor = Executor::new(std::sync::Arc::clone(definition), ActivityOptions::default());
        executor.replay(events).map_err(|blocked| blocked.to_string())
    }

    fn state_of(&self, wish: &Wish) -> String {
        let shard = wish.request.workflow_id.shard(self.store.shard_count());
        let Some(run) = wish.started else { return String::new() };
        match self.store.head(shard, run) {
            Ok(Some(head)) => {
                let names: Vec<&str> = load_history(&self.store, shard, &head)
                    .map(|events| events.iter().map(|event| event.kind.name()).collect())
                    .unwrap_or_default();
                format!("{:?} due {:?}, {names:?}", head.status, head.due)
            }
            other => format!("{other:?}"),
        }
    }
}

/// The item that an event ends.
#[expect(clippy::wildcard_enum_match_arm, reason = "only ends of activities and steps are of interest")]
fn closes(kind: &EventKind) -> Option<EventId> {
    match kind {
        EventKind::ActivityCompleted(e) => Some(e.scheduled),
        EventKind::ActivityFailed(e) => Some(e.scheduled),
        EventKind::ActivityTimedOut(e) => Some(e.scheduled),
        EventKind::ActivityCancelled(e) => Some(e.scheduled),
        EventKind::StepCompleted(e) => Some(e.started),
        EventKind::StepFailed(e) => Some(e.started),
        _ => None,
    }
}
