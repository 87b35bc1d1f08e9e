//! The contract, each call through the plan.

use std::time::Duration;

use steadfast_core::{
    ActivityName, EventId, QueueName, RequestId, RunId, SessionId, ShardId, Timestamp, WorkflowId,
};

use super::plan::CallKind;
use super::store::{DuplicatedCommit, FaultStore};
use crate::contract::{
    BreakerPage, Breakers, ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow, DeadLetters, Due,
    DueEntry, Group, HistoryRecord, InboxRow, ItemRow, ListFilter, ListPage, ListPosition, MailRow, Messages,
    RequestRow, Requests, Room, RunHead, Runs, SessionRow, Sessions, ShardRow, StoreError, StoreStats,
    TaskRow, Tasks, Verdict, Visibility,
};

impl<S: Commits> Commits for FaultStore<S> {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        let again = |first: &Vec<Verdict>, second: Result<Vec<Verdict>, StoreError>| {
            self.note_duplicate(DuplicatedCommit { first: first.clone(), second: second.ok() });
        };
        self.call(CallKind::Commit, |store| store.commit(group), again)
    }

    fn stats(&self) -> StoreStats {
        self.inner().stats()
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        self.call(CallKind::LastTime, S::last_time, |_, _| ())
    }

    fn room(&self) -> Result<Room, StoreError> {
        self.call(CallKind::Room, S::room, |_, _| ())
    }
}

/// Forwards methods that answer a `Result`.
macro_rules! forward {
    ($trait:ident { $($kind:ident $name:ident($($arg:ident: $type:ty),*) -> $answer:ty, $error:ty;)* } $($more:item)*) => {
        impl<S: $trait> $trait for FaultStore<S> {
            $(fn $name(&self, $($arg: $type),*) -> Result<$answer, $error> {
                self.call(CallKind::$kind, |store| store.$name($($arg),*), |_, _| ())
            })*
            $($more)*
        }
    };
}

forward! {
    Sessions {
        Now now() -> Timestamp, StoreError;
        OpenSession open_session(name: &str, lease: Duration) -> SessionRow, StoreError;
        RenewSession renew_session(session: SessionId, lease: Duration) -> SessionRow, ClaimError;
        EndSession end_session(session: SessionId) -> (), StoreError;
        EndSessionIfLapsed end_session_if_lapsed(session: SessionId) -> bool, StoreError;
        Sessions sessions() -> Vec<SessionRow>, StoreError;
        ClaimShard claim_shard(session: SessionId, shard: ShardId) -> ShardRow, ClaimError;
        ReleaseShard release_shard(session: SessionId, shard: ShardId) -> (), StoreError;
        Shards shards() -> Vec<ShardRow>, StoreError;
    }
    fn shard_count(&self) -> u16 {
        self.inner().shard_count()
    }
}

forward! {
    Runs {
        Head head(shard: ShardId, run: RunId) -> Option<RunHead>, StoreError;
        History history(shard: ShardId, run: RunId, from: EventId, limit: usize) -> Vec<HistoryRecord>, StoreError;
        Items items(shard: ShardId, run: RunId, after: Option<EventId>, limit: usize) -> Vec<ItemRow>, StoreError;
        Current current(shard: ShardId, workflow: &WorkflowId) -> Option<CurrentRow>, StoreError;
    }
}

forward! {
    Requests {
        Request request(shard: ShardId, workflow: &WorkflowId, request: &RequestId)
            -> Option<RequestRow>, StoreError;
    }
}

forward! {
    Due {
        Due due(shard: ShardId, after: Option<DueEntry>, until: Timestamp, limit: usize)
            -> Vec<DueEntry>, StoreError;
        NextDue next_due(shard: ShardId, after: Option<DueEntry>) -> Option<DueEntry>, StoreError;
    }
}

forward! {
    Messages {
        Inbox inbox(shard: ShardId, limit: usize) -> Vec<InboxRow>, StoreError;
        Mail mail(shard: ShardId, run: RunId, from: u64, limit: usize) -> Vec<MailRow>, StoreError;
    }
}

forward! {
    Tasks {
        ClaimTasks claim_tasks(queue: &QueueName, session: SessionId, limit: usize) -> Vec<TaskRow>, StoreError;
        ReleaseTask release_task(queue: &QueueName, session: SessionId, run: RunId, scheduled: EventId)
            -> (), StoreError;
        Tasks tasks(queue: &QueueName, limit: usize) -> Vec<TaskRow>, StoreError;
    }
}

forward! {
    Visibility {
        List list(filter: &ListFilter, after: Option<ListPosition>, limit: usize) -> ListPage, StoreError;
    }
}

forward! {
    DeadLetters {
        DeadLetters dead_letters(after: Option<(ShardId, RunId, EventId)>, limit: usize)
            -> DeadLetterPage, StoreError;
        DeadLetter dead_letter(shard: ShardId, run: RunId, scheduled: EventId)
            -> Option<DeadLetterRow>, StoreError;
    }
}

forward! {
    Breakers {
        Breakers breakers(after: Option<&(ActivityName, String)>, limit: usize) -> BreakerPage, StoreError;
    }
}
