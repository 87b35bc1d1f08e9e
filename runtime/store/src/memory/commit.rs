//! Commits: check, then apply.

use std::cmp::Reverse;
use std::convert::Infallible;

use steadfast_core::{ShardId, Timestamp};

use super::space::Space;
use super::store::MemoryStore;
use crate::contract::{
    Commits, DueEntry, Group, HistoryEnd, Refusal, Room, StoreError, StoreStats, Transition, Verdict, Write,
    check_transition,
};

impl Commits for MemoryStore {
    fn commit(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        Ok(self.in_space(|space, _| {
            let before = space.stats.transitions;
            let verdicts = group.transitions.iter().map(|transition| space.step(transition)).collect();
            if space.stats.transitions > before {
                space.last_time = space.last_time.max(group.at);
                space.stats.groups += 1;
                space.stats.syncs += 1;
            }
            verdicts
        }))
    }

    fn last_time(&self) -> Result<Timestamp, StoreError> {
        Ok(self.in_space(|space, _| space.last_time))
    }

    fn room(&self) -> Result<Room, StoreError> {
        Ok(self.with(|backing| backing.room))
    }

    fn stats(&self) -> StoreStats {
        self.in_space(|space, _| space.stats)
    }
}

impl Space {
    fn step(&mut self, transition: &Transition) -> Verdict {
        if let Err(refusal) = self.check(transition) {
            return Verdict::Refused(refusal);
        }
        for write in &transition.writes {
            self.apply(transition.shard, write);
        }
        self.stats.transitions += 1;
        Verdict::Committed
    }

    fn check(&self, transition: &Transition) -> Result<(), Refusal> {
        if let Some(row) = self.shards.get(usize::from(transition.shard.0)) {
            let owned = row.owner.is_some_and(|owner| self.sessions.contains_key(&owner));
            if !owned || row.epoch != transition.epoch {
                return Err(Refusal::LostShard { now: row.epoch });
            }
        }
        let shard_count = u16::try_from(self.shards.len()).unwrap_or(u16::MAX);
        let checked: Result<_, Infallible> = check_transition(transition, shard_count, |run| {
            Ok(self.heads.get(&(transition.shard, run)).map(HistoryEnd::of).unwrap_or_default())
        });
        let Ok(checked) = checked;
        checked
    }

    fn apply(&mut self, shard: ShardId, write: &Write) {
        match write.clone() {
            Write::PutHead(head) => drop(self.heads.insert((shard, head.run_id), head)),
            Write::AppendHistory { run, record } => {
                self.history.insert((shard, run, record.first), record);
            }
            Write::PutItem { run, row } => drop(self.items.insert((shard, run, row.item), row)),
            Write::DeleteItem { run, item } => drop(self.items.remove(&(shard, run, item))),
            Write::PutCurrent { workflow, row } => drop(self.current.insert((shard, workflow), row)),
            Write::PutRequest { workflow, request, row } => {
                self.requests.insert((shard, workflow, request), row);
            }
            Write::PutDue { at, run } => {
                self.due.insert((shard, DueEntry { at, run }));
            }
            Write::DeleteDue { at, run } => {
                self.due.remove(&(shard, DueEntry { at, run }));
            }
            Write::PutListing(row) => {
                self.listings.insert(Reverse((row.started_at, row.run_id)), row);
            }
            Write::DeleteListing { started_at, run } => {
                self.listings.remove(&Reverse((started_at, run)));
            }
            Write::PutMail { run, row } => drop(self.mail.insert((shard, run, row.sequence), row)),
            Write::DeleteMail { run, sequence } => drop(self.mail.remove(&(shard, run, sequence))),
            Write::PutMessage { to, row } => drop(self.inbox.insert((to, row.from, row.sequence), row)),
            Write::DeleteMessage { from, sequence } => drop(self.inbox.remove(&(shard, from, sequence))),
            Write::PutTask { queue, row } => {
                self.tasks.insert((queue, row.run, row.scheduled), row);
            }
            Write::DeleteTask { queue, run, scheduled } => drop(self.tasks.remove(&(queue, run, scheduled))),
            Write::PutDeadLetter(row) => {
                self.dead_letters.insert((shard, row.run_id, row.scheduled), row);
            }
            Write::DeleteDeadLetter { run, scheduled } => {
                self.dead_letters.remove(&(shard, run, scheduled));
            }
            Write::PutBreaker(row) => self.put_breaker(row),
        }
        if write.is_delete() {
            self.stats.keys_deleted += 1;
        } else {
            self.stats.keys_put += 1;
        }
    }
}
