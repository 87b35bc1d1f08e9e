//! The store as an onlooker sees it: every change that it really made, in order, whatever became of the answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use steadfast_core::{
    ActivityName, EventId, QueueName, RequestId, RunId, SessionId, ShardId, Timestamp, WorkflowId,
};
use steadfast_store::{
    BreakerPage, Breakers, ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow, DeadLetters, Due,
    DueEntry, Group, HistoryRecord, InboxRow, ItemRow, ListFilter, ListPage, ListPosition, MailRow,
    MemoryStore, Messages, Refusal, RequestRow, Requests, Room, RunHead, Runs, SessionRow, Sessions,
    ShardRow, StoreError, StoreStats, TaskRow, Tasks, Transition, Verdict, Visibility,
};

use super::digest::{of_transition, roll};

/// Something that the store did.
#[derive(Debug)]
pub(super) enum Witnessed {
    /// A session ended.
    Ended(SessionId),
    /// A session has a shard under this epoch.
    Claimed(ShardRow),
    /// A transition was stored.
    Stored(Box<Transition>),
    /// A transition was refused.
    Refused(Box<Transition>, Refusal),
    /// A group was given to the store once more, right after the first time.
    Repeated(Vec<RunId>),
}

/// What is seen, and what tells a group that is given twice.
#[derive(Debug, Default)]
struct Log {
    seen: Vec<Witnessed>,
    last: u64,
}

/// A memory store that tells what it did. Clones share everything.
#[derive(Clone)]
pub(super) struct WatchedStore {
    pub(super) inner: MemoryStore,
    log: Arc<Mutex<Log>>,
    /// Commits of owners that were replaced are stored as if they were the present owner's.
    has_no_fence: bool,
}

impl WatchedStore {
    pub(super) fn new(inner: MemoryStore, has_no_fence: bool) -> Self {
        Self { inner, log: Arc::default(), has_no_fence }
    }

    /// What happened since the last look.
    pub(super) fn take_seen(&self) -> Vec<Witnessed> {
        std::mem::take(&mut self.log().seen)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, seen: Witnessed) {
        self.log().seen.push(seen);
    }

    /// Whether the store was given the same group just before.
    fn is_repeated(&self, group: &Group) -> bool {
        let digest = group.transitions.iter().map(of_transition).fold(group.at.as_micros(), roll);
        std::mem::replace(&mut self.log().last, digest) == digest && !group.transitions.is_empty()
    }

    fn without_fence(&self, group: &Group) -> Result<Group, StoreError> {
        let shards = self.inner.shards()?;
        let mut group = group.clone();
        for transition in &mut group.transitions {
            if let Some(row) = shards.get(usize::from(transition.shard.0)) {
                transition.epoch = row.epoch;
            }
        }
        Ok(group)
    }
}

impl Commits for WatchedStore {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        let verdicts = if self.has_no_fence {
            self.inner.commit(&self.without_fence(group)?)?
        } else {
            self.inner.commit(group)?
        };
        if self.is_repeated(group) {
            // On its way it may show what was there before; in the end nothing has changed.
            let runs = group.transitions.iter().filter_map(|transition| Some(transition.expected?.run));
            self.see(Witnessed::Repeated(runs.collect()));
            return Ok(verdicts);
        }
        for (transition, verdict) in group.transitions.iter().zip(&verdicts) {
            let transition = Box::new(transition.clone());
            self.see(match verdict {
                Verdict::Committed => Witnessed::Stored(transition),
                Verdict::Refused(refusal) => Witnessed::Refused(transition, *refusal),
            });
        }
        Ok(verdicts)
    }

    fn stats(&self) -> StoreStats {
        self.inner.stats()
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        self.inner.last_time()
    }

    fn room(&self) -> Result<Room, StoreError> {
        self.inner.room()
    }
}

impl Sessions for WatchedStore {
    fn shard_count(&self) -> u16 {
        self.inner.shard_count()
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        self.inner.now()
    }

    fn open_session(&self, name: &str, lease: Duration) -> Result<SessionRow, StoreError> {
        self.inner.open_session(name, lease)
    }

    fn renew_session(&self, session: SessionId, lease: Duration) -> Result<SessionRow, ClaimError> {
        self.inner.renew_session(session, lease)
    }

    fn end_session(&self, session: SessionId) -> Result<(), StoreError> {
        self.inner.end_session(session)?;
        self.see(Witnessed::Ended(session));
        Ok(())
    }

    fn end_session_if_lapsed(&self, session: SessionId) -> Result<bool, StoreError> {
        let is_ended = self.inner.end_session_if_lapsed(session)?;
        if is_ended {
            self.see(Witnessed::Ended(session));
        }
        Ok(is_ended)
    }

    fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.inner.sessions()
    }

    fn claim_shard(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError> {
        let row = self.inner.claim_shard(session, shard)?;
        self.see(Witnessed::Claimed(row));
        Ok(row)
    }

    fn release_shard(&self, session: SessionId, shard: ShardId) -> Result<(), StoreError> {
        self.inner.release_shard(session, shard)
    }

    fn shards(&self) -> Result<Vec<ShardRow>, StoreError> {
        self.inner.shards()
    }
}

/// Forwards methods that only read, and those that no engine calls yet.
macro_rules! forward {
    ($($trait:ident { $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)* })*) => {
        $(impl $trait for WatchedStore {
            $(fn $name(&self, $($arg: $type),*) -> Result<$answer, StoreError> {
                self.inner.$name($($arg),*)
            })*
        })*
    };
}

forward! {
    Runs {
        head(shard: ShardId, run: RunId) -> Option<RunHead>;
        history(shard: ShardId, run: RunId, from: EventId, limit: usize) -> Vec<HistoryRecord>;
        items(shard: ShardId, run: RunId, after: Option<EventId>, limit: usize) -> Vec<ItemRow>;
        current(shard: ShardId, workflow: &WorkflowId) -> Option<CurrentRow>;
    }
    Requests {
        request(shard: ShardId, workflow: &WorkflowId, request: &RequestId) -> Option<RequestRow>;
    }
    Due {
        due(shard: ShardId, after: Option<DueEntry>, until: Timestamp, limit: usize) -> Vec<DueEntry>;
    }
    Messages {
        inbox(shard: ShardId, limit: usize) -> Vec<InboxRow>;
        mail(shard: ShardId, run: RunId, from: u64, limit: usize) -> Vec<MailRow>;
    }
    Tasks {
        claim_tasks(queue: &QueueName, session: SessionId, limit: usize) -> Vec<TaskRow>;
        release_task(queue: &QueueName, session: SessionId, run: RunId, scheduled: EventId) -> ();
        tasks(queue: &QueueName, limit: usize) -> Vec<TaskRow>;
    }
    Visibility {
        list(filter: &ListFilter, after: Option<ListPosition>, limit: usize) -> ListPage;
    }
    DeadLetters {
        dead_letters(after: Option<(ShardId, RunId, EventId)>, limit: usize) -> DeadLetterPage;
        dead_letter(shard: ShardId, run: RunId, scheduled: EventId) -> Option<DeadLetterRow>;
    }
    Breakers {
        breakers(after: Option<&(ActivityName, String)>, limit: usize) -> BreakerPage;
    }
}
