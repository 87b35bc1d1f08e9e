//! A store whose histories were damaged by hand, and an engine on it that keeps no run in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use steadfast::history::Event;
use steadfast::store::{
    BreakerPage, Breakers, ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow, DeadLetters, Due,
    DueEntry, Group, HistoryRecord, InboxRow, ItemRow, ListFilter, ListPage, ListPosition, MailRow, Messages,
    RequestRow, Requests, RunHead, Runs, SessionRow, Sessions, ShardRow, Store, StoreError, TaskRow, Tasks,
    Verdict, Visibility,
};
use steadfast::{ActivityName, EventId, QueueName, RequestId, RunId, Timestamp, WorkflowId};
use steadfast_core::{SessionId, ShardId, decode_events, encode_events};

/// What was done to the history of a run.
#[derive(Debug, Clone)]
pub(crate) enum Damage {
    /// One event is taken out of its record.
    EventRemoved(EventId),
    /// The record that holds this event is taken out.
    RecordRemoved(EventId),
    /// Everything from this event on is taken out.
    TailRemoved(EventId),
    /// The records stand in the wrong order.
    Reversed,
    /// The record that holds the first event says other times than were written.
    Changed(EventId),
    /// An event stands behind the end.
    Longer,
    /// The record that holds this event is no record.
    Garbled(EventId),
}

impl Damage {
    fn apply(&self, records: &mut Vec<HistoryRecord>) -> Result<(), StoreError> {
        let holds = |record: &HistoryRecord, id: EventId| record.first <= id && id <= record.last();
        match self {
            Self::EventRemoved(id) => {
                for record in records.iter_mut().filter(|record| holds(record, *id)) {
                    rewrite(record, |events| events.retain(|event| event.id != *id))?;
                }
            }
            Self::RecordRemoved(id) => records.retain(|record| !holds(record, *id)),
            Self::TailRemoved(id) => records.retain(|record| record.last() < *id),
            Self::Reversed => records.reverse(),
            Self::Changed(id) => {
                for record in records.iter_mut().filter(|record| holds(record, *id)) {
                    rewrite(record, |events| {
                        events.iter_mut().for_each(|e| e.at = e.at.after(Duration::from_secs(1)))
                    })?;
                }
            }
            Self::Longer => {
                if let Some(last) = records.last_mut() {
                    rewrite(last, |events| {
                        let more = events.last().cloned().map(|event| Event { id: event.id.next(), ..event });
                        events.extend(more);
                    })?;
                    last.count += 1;
                }
            }
            Self::Garbled(id) => {
                records
                    .iter_mut()
                    .filter(|record| holds(record, *id))
                    .for_each(|record| record.body.truncate(1));
            }
        }
        Ok(())
    }
}

fn rewrite(record: &mut HistoryRecord, change: impl FnOnce(&mut Vec<Event>)) -> Result<(), StoreError> {
    let mut events = decode_events(&record.body).map_err(|error| StoreError::corrupt("a record", error))?;
    change(&mut events);
    record.body = encode_events(&events).map_err(|error| StoreError::corrupt("a record", error))?;
    Ok(())
}

/// Shows the store inside, but for the damage.
pub(crate) struct Torn {
    inner: Arc<dyn Store>,
    /// Held for one look; nothing waits while it is.
    damage: Mutex<BTreeMap<RunId, Damage>>,
}

impl Torn {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self { inner, damage: Mutex::default() })
    }

    pub(crate) fn damage(&self, run: RunId, damage: Damage) {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).insert(run, damage);
    }

    pub(crate) fn heal(&self) {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn torn(&self, run: RunId, records: Vec<HistoryRecord>) -> Result<Vec<HistoryRecord>, StoreError> {
        let mut records = records;
        if let Some(damage) = self.damage.lock().unwrap_or_else(PoisonError::into_inner).get(&run) {
            damage.apply(&mut records)?;
        }
        Ok(records)
    }
}

impl Runs for Torn {
    fn history(
        &self,
        shard: ShardId,
        run: RunId,
        from: EventId,
        limit: usize,
    ) -> Result<Vec<HistoryRecord>, StoreError> {
        self.torn(run, self.inner.history(shard, run, from, limit)?)
    }

    fn head(&self, shard: ShardId, run: RunId) -> Result<Option<RunHead>, StoreError> {
        self.inner.head(shard, run)
    }

    fn items(
        &self,
        shard: ShardId,
        run: RunId,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<ItemRow>, StoreError> {
        self.inner.items(shard, run, after, limit)
    }

    fn current(&self, shard: ShardId, workflow: &WorkflowId) -> Result<Option<CurrentRow>, StoreError> {
        self.inner.current(shard, workflow)
    }
}

impl Commits for Torn {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        self.inner.commit(group)
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        self.inner.last_time()
    }
}

/// Forwards methods that answer a `Result`.
macro_rules! forward {
    ($trait:ident { $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty, $error:ty;)* } $($more:item)*) => {
        impl $trait for Torn {
            $(fn $name(&self, $($arg: $type),*) -> Result<$answer, $error> {
                self.inner.$name($($arg),*)
            })*
            $($more)*
        }
    };
}

forward! {
    Sessions {
        now() -> Timestamp, StoreError;
        open_session(name: &str, lease: Duration) -> SessionRow, StoreError;
        renew_session(session: SessionId, lease: Duration) -> SessionRow, ClaimError;
        end_session(session: SessionId) -> (), StoreError;
        end_session_if_lapsed(session: SessionId) -> bool, StoreError;
        sessions() -> Vec<SessionRow>, StoreError;
        claim_shard(session: SessionId, shard: ShardId) -> ShardRow, ClaimError;
        release_shard(session: SessionId, shard: ShardId) -> (), StoreError;
        shards() -> Vec<ShardRow>, StoreError;
    }
    fn shard_count(&self) -> u16 {
        self.inner.shard_count()
    }
}

forward! { Requests {
    request(shard: ShardId, workflow: &WorkflowId, request: &RequestId) -> Option<RequestRow>, StoreError;
} }

forward! { Due {
    due(shard: ShardId, after: Option<DueEntry>, until: Timestamp, limit: usize) -> Vec<DueEntry>, StoreError;
} }

forward! { Messages {
    inbox(shard: ShardId, limit: usize) -> Vec<InboxRow>, StoreError;
    mail(shard: ShardId, run: RunId, from: u64, limit: usize) -> Vec<MailRow>, StoreError;
} }

forward! { Tasks {
    claim_tasks(queue: &QueueName, session: SessionId, limit: usize) -> Vec<TaskRow>, StoreError;
    release_task(queue: &QueueName, session: SessionId, run: RunId, scheduled: EventId) -> (), StoreError;
    tasks(queue: &QueueName, limit: usize) -> Vec<TaskRow>, StoreError;
} }

forward! { Visibility {
    list(filter: &ListFilter, after: Option<ListPosition>, limit: usize) -> ListPage, StoreError;
} }

forward! { DeadLetters {
    dead_letters(after: Option<(ShardId, RunId, EventId)>, limit: usize) -> DeadLetterPage, StoreError;
    dead_letter(shard: ShardId, run: RunId, scheduled: EventId) -> Option<DeadLetterRow>, StoreError;
} }

forward! { Breakers {
    breakers(after: Option<&(ActivityName, String)>, limit: usize) -> BreakerPage, StoreError;
} }
