//! A store whose shards belong to one session: what most properties begin with.

use std::time::Duration;

use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};

use super::harness::Harness;
use super::rows::{SHARD, at, ok};
use crate::contract::{Expected, Group, Store, Transition, Verdict, Write};

/// Longer than any property moves the clock.
pub(super) const LONG: Duration = Duration::from_secs(1_000_000);

/// The harness, with a session that owns all shards.
pub(super) struct Fixture<'h> {
    pub(super) harness: &'h mut dyn Harness,
    pub(super) session: SessionId,
    epochs: Vec<Epoch>,
    time: Timestamp,
}

impl<'h> Fixture<'h> {
    pub(super) fn new(harness: &'h mut dyn Harness) -> Self {
        let mut fixture = Self { harness, session: SessionId(0), epochs: Vec::new(), time: at(100) };
        assert!(fixture.store().shard_count() >= 4, "the suite needs at least four shards");
        fixture.take_over();
        fixture
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.harness.store()
    }

    /// Ends whoever is there and claims all shards with a new session.
    pub(super) fn take_over(&mut self) {
        let store = self.harness.store();
        for old in ok(store.sessions()) {
            ok(store.end_session(old.id));
        }
        self.session = ok(store.open_session("suite", LONG)).id;
        let shards = (0..store.shard_count()).map(ShardId);
        self.epochs = shards.map(|shard| ok(store.claim_shard(self.session, shard)).epoch).collect();
    }

    /// Opens the store again and takes it over.
    pub(super) fn reopen(&mut self) {
        self.harness.reopen();
        self.take_over();
    }

    pub(super) fn epoch(&self, shard: ShardId) -> Epoch {
        self.epochs[usize::from(shard.0)]
    }

    pub(super) fn transition(&self, shard: ShardId, writes: Vec<Write>) -> Transition {
        Transition { shard, epoch: self.epoch(shard), expected: None, writes }
    }

    /// Commits a group at a time later than that of the group before.
    pub(super) fn group(&mut self, transitions: Vec<Transition>) -> Vec<Verdict> {
        self.time = self.time.after(Duration::from_millis(1));
        let expected = transitions.len();
        let verdicts = ok(self.store().commit(&Group { at: self.time, transitions }));
        assert_eq!(verdicts.len(), expected, "there must be one verdict a transition");
        verdicts
    }

    pub(super) fn verdict(&mut self, transition: Transition) -> Verdict {
        self.group(vec![transition])[0]
    }

    /// Commits writes to [`SHARD`], which must succeed.
    #[track_caller]
    pub(super) fn commit(&mut self, writes: Vec<Write>) {
        self.commit_in(SHARD, writes);
    }

    /// Commits writes to a shard, which must succeed.
    #[track_caller]
    pub(super) fn commit_in(&mut self, shard: ShardId, writes: Vec<Write>) {
        let transition = self.transition(shard, writes);
        assert_eq!(self.verdict(transition), Verdict::Committed);
    }

    /// Writes to [`SHARD`] that build on a state of a run.
    pub(super) fn expecting(&self, expected: Expected, writes: Vec<Write>) -> Transition {
        Transition { expected: Some(expected), ..self.transition(SHARD, writes) }
    }
}
