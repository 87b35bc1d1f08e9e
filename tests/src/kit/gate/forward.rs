//! The contract of stores, each call through the gate.

use std::time::Duration;

use steadfast::store::{
    BreakerPage, Breakers, ClaimError, Commits, CurrentRow, DeadLetterPage, DeadLetterRow, DeadLetters, Due,
    DueEntry, Group, HistoryRecord, InboxRow, ItemRow, ListFilter, ListPage, ListPosition, MailRow, Messages,
    RequestRow, Requests, Room, RunHead, Runs, SessionRow, Sessions, ShardRow, StoreError, StoreStats,
    TaskRow, Tasks, Verdict, Visibility,
};
use steadfast::{ActivityName, EventId, QueueName, RequestId, RunId, Timestamp, WorkflowId};
use steadfast_core::{SessionId, ShardId};

use super::keeper::Gate;

impl Commits for Gate {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        self.pass(group)
    }

    fn stats(&self) -> StoreStats {
        self.store().map(|store| store.stats()).unwrap_or_default()
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        self.call("last_time", |store| store.last_time())
    }

    fn room(&self) -> Result<Room, StoreError> {
        self.call("room", |store| store.room())
    }
}

/// Forwards methods that answer a `Result`.
macro_rules! forward {
    ($trait:ident { $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty, $error:ty;)* } $($more:item)*) => {
        impl $trait for Gate {
            $(fn $name(&self, $($arg: $type),*) -> Result<$answer, $error> {
                self.call(stringify!($name), |store| store.$name($($arg),*))
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
        release_shard(session: SessionId, shard: ShardId) -> (), StoreError;
        shards() -> Vec<ShardRow>, StoreError;
    }
    fn claim_shard(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError> {
        self.claim(session, shard)
    }
    fn shard_count(&self) -> u16 {
        Gate::shards(self)
    }
}

forward! {
    Runs {
        head(shard: ShardId, run: RunId) -> Option<RunHead>, StoreError;
        history(shard: ShardId, run: RunId, from: EventId, limit: usize) -> Vec<HistoryRecord>, StoreError;
        items(shard: ShardId, run: RunId, after: Option<EventId>, limit: usize) -> Vec<ItemRow>, StoreError;
        current(shard: ShardId, workflow: &WorkflowId) -> Option<CurrentRow>, StoreError;
    }
}

forward! {
    Requests {
        request(shard: ShardId, workflow: &WorkflowId, request: &RequestId) -> Option<RequestRow>, StoreError;
    }
}

forward! {
    Due {
        due(shard: ShardId, after: Option<DueEntry>, until: Timestamp, limit: usize)
            -> Vec<DueEntry>, StoreError;
        next_due(shard: ShardId, after: Option<DueEntry>) -> Option<DueEntry>, StoreError;
    }
}

forward! {
    Messages {
        inbox(shard: ShardId, limit: usize) -> Vec<InboxRow>, StoreError;
        mail(shard: ShardId, run: RunId, from: u64, limit: usize) -> Vec<MailRow>, StoreError;
    }
}

forward! {
    Tasks {
        claim_tasks(queue: &QueueName, session: SessionId, limit: usize) -> Vec<TaskRow>, StoreError;
        release_task(queue: &QueueName, session: SessionId, run: RunId, scheduled: EventId) -> (), StoreError;
        tasks(queue: &QueueName, limit: usize) -> Vec<TaskRow>, StoreError;
    }
}

forward! {
    Visibility {
        list(filter: &ListFilter, after: Option<ListPosition>, limit: usize) -> ListPage, StoreError;
    }
}

forward! {
    DeadLetters {
        dead_letters(after: Option<(ShardId, RunId, EventId)>, limit: usize) -> DeadLetterPage, StoreError;
        dead_letter(shard: ShardId, run: RunId, scheduled: EventId) -> Option<DeadLetterRow>, StoreError;
    }
}

forward! {
    Breakers {
        breakers(after: Option<&(ActivityName, String)>, limit: usize) -> BreakerPage, StoreError;
    }
}
