//! The books, and who may write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_core::{
    AttemptError, Epoch, EventId, IdempotencyKey, Payload, RequestId, RunId, SessionId, ShardId, Timestamp,
    WorkflowId, WorkflowType,
};
use steadfast_store::{MemoryStore, Refusal, RequestRow, Transition};

use super::super::report::SimCounts;
use super::super::watched::Witnessed;
use super::run::RunBook;
use crate::activity::AttemptKey;

/// What a body came to.
pub(super) type Reported = Result<Payload, AttemptError>;

/// Who has a shard.
#[derive(Debug, Default, Clone, Copy)]
struct Ownership {
    epoch: Epoch,
    owner: Option<SessionId>,
}

/// Everything that was ever committed.
#[derive(Default)]
pub(in super::super) struct Books {
    owners: BTreeMap<ShardId, Ownership>,
    ended: BTreeSet<SessionId>,
    pub(super) runs: BTreeMap<RunId, RunBook>,
    pub(super) requests: BTreeMap<(WorkflowId, RequestId), RequestRow>,
    pub(super) current: BTreeMap<WorkflowId, RunId>,
    pub(super) listed: BTreeMap<RunId, bool>,
    pub(super) dead_letters: BTreeSet<(RunId, EventId)>,
    /// The session to which an attempt was granted.
    pub(super) grants: BTreeMap<AttemptKey, SessionId>,
    pub(super) begun: BTreeSet<AttemptKey>,
    pub(super) reported: BTreeMap<AttemptKey, Vec<Reported>>,
    /// Heartbeats that were committed, by their number.
    pub(super) beats: BTreeSet<u64>,
    /// Which activity has a key.
    pub(super) keys: BTreeMap<IdempotencyKey, (RunId, EventId)>,
    pub(super) definitions: BTreeMap<WorkflowType, Arc<dyn Definition>>,
    pub(in super::super) counts: SimCounts,
    pub(in super::super) events: BTreeMap<&'static str, u64>,
}

impl Books {
    pub(in super::super) fn new(definitions: &[Arc<dyn Definition>]) -> Self {
        let named = definitions.iter().map(|code| (code.workflow_type().clone(), Arc::clone(code)));
        Self { definitions: named.collect(), ..Self::default() }
    }

    /// The store did something.
    pub(in super::super) fn take(&mut self, seen: Witnessed, store: &MemoryStore) -> Result<(), String> {
        match seen {
            Witnessed::Ended(session) => {
                self.ended.insert(session);
                Ok(())
            }
            Witnessed::Claimed(row) => self.claimed(row.shard, row.epoch, row.owner),
            Witnessed::Repeated(runs) => runs.into_iter().try_for_each(|run| self.compare(run, store)),
            Witnessed::Refused(_, refusal) => {
                self.counts.lost_fences += u64::from(matches!(refusal, Refusal::LostShard { .. }));
                let Refusal::Inconsistent(what) = refusal else { return Ok(()) };
                Err(format!("a transition contradicts itself: {what}"))
            }
            Witnessed::Stored(transition) => {
                let owner = self.may_write(&transition)?;
                self.stored(&transition, owner)
            }
        }
    }

    fn claimed(&mut self, shard: ShardId, epoch: Epoch, owner: Option<SessionId>) -> Result<(), String> {
        let now = self.owners.entry(shard).or_default();
        if now.epoch == epoch && now.owner == owner {
            return Ok(());
        }
        if let Some(other) = now.owner
            && !self.ended.contains(&other)
        {
            return Err(format!(
                "shard {shard} is given to {owner:?} although session {other} has not ended"
            ));
        }
        if epoch <= now.epoch {
            return Err(format!("shard {shard} has a new owner under epoch {epoch}, after {}", now.epoch));
        }
        self.counts.takeovers += u64::from(now.owner.is_some());
        *now = Ownership { epoch, owner };
        Ok(())
    }

    /// No two owners commit: only the newest epoch, and only while its session has not ended.
    fn may_write(&self, transition: &Transition) -> Result<SessionId, String> {
        let Transition { shard, epoch, .. } = transition;
        let now = self.owners.get(shard).copied().unwrap_or_default();
        if now.epoch != *epoch {
            let newest = now.epoch;
            return Err(format!(
                "two owners: shard {shard} takes a commit under epoch {epoch}, the newest is {newest}"
            ));
        }
        match now.owner {
            Some(owner) if !self.has_ended(owner) => Ok(owner),
            owner => Err(format!("shard {shard} takes a commit of {owner:?}, which has ended")),
        }
    }

    pub(in super::super) fn has_ended(&self, session: SessionId) -> bool {
        self.ended.contains(&session)
    }

    /// A body is over, and an engine is told what it came to.
    pub(in super::super) fn report(&mut self, key: AttemptKey, result: Reported) {
        let known = self.reported.entry(key).or_default();
        if !known.contains(&result) {
            known.push(result);
        }
    }

    pub(super) fn has_reported(&self, key: AttemptKey, result: &Reported) -> bool {
        self.reported.get(&key).is_some_and(|known| known.contains(result))
    }

    /// Attempts that run by the books: with a grant of this session that has not ended.
    pub(in super::super) fn grants_of(&self, session: SessionId) -> usize {
        self.runs.values().map(|run| run.running_of(session)).sum()
    }

    /// For a failure's text.
    pub(in super::super) fn describe(&self, run: RunId) -> String {
        self.runs.get(&run).map(RunBook::describe).unwrap_or_default()
    }

    /// The time of the newest event of a run.
    pub(super) fn last_at(run: &RunBook) -> Timestamp {
        run.events.last().map_or(Timestamp::ZERO, |event| event.at)
    }
}
