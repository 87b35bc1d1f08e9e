//! Commits: check each transition, stage what it writes, write the group at once.

use steadfast_core::{RunId, ShardId, Timestamp};
use steadfast_store::{
    Commits, Group, HistoryEnd, HistoryRecord, InboxRow, ItemRow, ListingRow, MailRow, Room, RunHead,
    StoreError, StoreStats, Transition, Verdict, Write, check_transition,
};

use crate::key::{Key, Table};
use crate::row::{DueRow, Named};
use crate::stage::{Stage, Unstaged};
use crate::store::SledStore;

impl Commits for SledStore {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        self.write(|stage, outcome| {
            let mut verdicts = Vec::with_capacity(group.transitions.len());
            for transition in &group.transitions {
                verdicts.push(match self.stage(stage, transition) {
                    Ok(()) => {
                        stage.close();
                        outcome.transitions += 1;
                        outcome.progress.last_time = outcome.progress.last_time.max(group.at);
                        Verdict::Committed
                    }
                    Err(Unstaged::Refused(refusal)) => {
                        stage.abandon();
                        Verdict::Refused(refusal)
                    }
                    Err(Unstaged::Failed(error)) => return Err(error),
                });
            }
            Ok(verdicts)
        })
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        self.database()?;
        Ok(self.space().progress.last_time)
    }

    fn room(&self) -> Result<Room, StoreError> {
        self.free_room()
    }

    fn stats(&self) -> StoreStats {
        self.space().stats
    }
}

impl SledStore {
    fn stage(&self, stage: &mut Stage<'_>, transition: &Transition) -> Result<(), Unstaged> {
        self.space().check_owner(transition).map_err(Unstaged::Refused)?;
        let end_of = |run| {
            let head: Option<RunHead> = stage.get(&self.head_key(transition.shard, run))?;
            Ok::<_, Unstaged>(head.as_ref().map(HistoryEnd::of).unwrap_or_default())
        };
        check_transition(transition, self.shard_count, end_of)?.map_err(Unstaged::Refused)?;
        transition.writes.iter().try_for_each(|write| self.stage_write(stage, transition.shard, write))
    }

    fn stage_write(&self, stage: &mut Stage<'_>, shard: ShardId, write: &Write) -> Result<(), Unstaged> {
        match write {
            Write::PutHead(head) => stage.put(&self.head_key(shard, head.run_id), head),
            Write::AppendHistory { run, record } => {
                let key = self.run_key(Table::History, shard, *run).number(record.first.0);
                stage.put::<HistoryRecord>(&key, record)
            }
            Write::PutItem { run, row } => stage.put(&self.item_key(shard, *run).number(row.item.0), row),
            Write::DeleteItem { run, item } => {
                stage.delete::<ItemRow>(&self.item_key(shard, *run).number(item.0))
            }
            Write::PutCurrent { workflow, row } => {
                let row = Named::new(&[workflow.as_str()], row.clone());
                stage.put(&self.current_key(shard, workflow), &row)
            }
            Write::PutRequest { workflow, request, row } => {
                let row = Named::new(&[workflow.as_str(), request.as_str()], row.clone());
                stage.put(&self.request_key(shard, workflow, request), &row)
            }
            Write::PutDue { at, run } => stage.put(&self.due_key(shard, *at, *run), &DueRow),
            Write::DeleteDue { at, run } => stage.delete::<DueRow>(&self.due_key(shard, *at, *run)),
            Write::PutListing(row) => stage.put(&self.listing_key(row.started_at, row.run_id), row),
            Write::DeleteListing { started_at, run } => {
                stage.delete::<ListingRow>(&self.listing_key(*started_at, *run))
            }
            Write::PutMail { run, row } => {
                stage.put(&self.run_key(Table::Mail, shard, *run).number(row.sequence), row)
            }
            Write::DeleteMail { run, sequence } => {
                stage.delete::<MailRow>(&self.run_key(Table::Mail, shard, *run).number(*sequence))
            }
            Write::PutMessage { to, row } => {
                stage.put(&self.run_key(Table::Inbox, *to, row.from).number(row.sequence), row)
            }
            Write::DeleteMessage { from, sequence } => {
                stage.delete::<InboxRow>(&self.run_key(Table::Inbox, shard, *from).number(*sequence))
            }
            Write::PutTask { queue, row } => {
                let named = Named::new(&[queue.as_str()], row.clone());
                stage.put(&self.task_key(queue, row.run, row.scheduled), &named)
            }
            Write::DeleteTask { queue, run, scheduled } => {
                stage.delete::<Named<steadfast_store::TaskRow>>(&self.task_key(queue, *run, *scheduled))
            }
            Write::PutDeadLetter(row) => {
                stage.put(&self.run_key(Table::DeadLetter, shard, row.run_id).number(row.scheduled.0), row)
            }
            Write::DeleteDeadLetter { run, scheduled } => {
                let key = self.run_key(Table::DeadLetter, shard, *run).number(scheduled.0);
                stage.delete::<steadfast_store::DeadLetterRow>(&key)
            }
            Write::PutBreaker(row) => self.stage_breaker(stage, row),
        }
    }

    fn head_key(&self, shard: ShardId, run: RunId) -> Key {
        self.run_key(Table::Head, shard, run)
    }

    fn item_key(&self, shard: ShardId, run: RunId) -> Key {
        self.run_key(Table::Item, shard, run)
    }
}
