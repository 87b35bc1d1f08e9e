//! The world: engines, clients, time; one action at a time.

use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::FutureExt;
use steadfast_core::{AttemptError, Namespace, Payload, ShardId, Timestamp};
use steadfast_store::{Commits, MemoryStore};

use super::client::Wish;
use super::dice::Dice;
use super::node::{LEASE, Node, Running};
use super::plan::{SimReport, Simulation};
use crate::activity::AttemptKey;
use crate::clock::{EngineClock, ManualClock};
use crate::message::{Body, ShardMessage};

const SHARDS: u16 = 4;
const BEGINNING: Timestamp = Timestamp::from_micros(1_000_000_000);

/// Everything there is.
pub(super) struct World {
    pub(super) plan: Simulation,
    pub(super) store: MemoryStore,
    pub(super) clock: Arc<ManualClock>,
    dice: Dice,
    nodes: [Option<Node>; 2],
    pub(super) wishes: Vec<Wish>,
    is_calm: bool,
    report: SimReport,
}

impl World {
    pub(super) fn new(mut plan: Simulation) -> Self {
        let mut dice = Dice::new(plan.seed);
        #[expect(clippy::expect_used, reason = "the constant name is a valid one")]
        let namespace = Namespace::new("sim").expect("the name is valid");
        let starts = std::mem::take(&mut plan.starts);
        let wishes = starts
            .into_iter()
            .map(|mut request| {
                let own = steadfast_core::RequestId::new(request.workflow_id.as_str()).ok();
                request.request_id = request.request_id.or(own);
                Wish::new(request, dice.percent(plan.cancel_percent))
            })
            .collect();
        Self {
            store: MemoryStore::new(namespace, SHARDS, BEGINNING),
            clock: Arc::new(ManualClock::new(BEGINNING)),
            dice,
            nodes: [None, None],
            wishes,
            is_calm: false,
            report: SimReport::default(),
            plan,
        }
    }

    pub(super) fn report(&self) -> SimReport {
        let mut report = self.report;
        report.groups = self.store.stats().groups;
        for node in self.nodes.iter().flatten() {
            report.stopped += node.stopped;
            report.failed_commits += node.failed_commits;
            report.successions += node.successions;
        }
        report
    }

    pub(super) fn run(&mut self) -> Result<(), String> {
        for _ in 0..self.plan.chaos_actions {
            self.act()?;
        }
        self.is_calm = true;
        for node in self.nodes.iter_mut().flatten() {
            node.calm();
        }
        for _ in 0..self.plan.calm_actions {
            let are_quiet = self.nodes.iter().flatten().all(Node::is_quiet);
            if are_quiet && self.wishes.iter().all(|wish| wish.outcome.is_some()) {
                break;
            }
            self.act()?;
        }
        self.report.events =
            self.check_all().and_then(|events| self.check_slots(events)).map_err(|problem| {
                let nodes: Vec<String> = self.nodes.iter().flatten().map(Node::state).collect();
                format!("{problem}; at {}: {}", self.clock.now(), nodes.join(" and "))
            })?;
        Ok(())
    }

    /// With no run open no slot is in use.
    fn check_slots(&self, events: u64) -> Result<u64, String> {
        match self.nodes.iter().flatten().map(|node| node.shared.dispatcher().in_use()).sum::<usize>() {
            0 => Ok(events),
            left => Err(format!("{left} slots are in use although every run has ended")),
        }
    }

    fn act(&mut self) -> Result<(), String> {
        self.report.actions += 1;
        let index = self.dice.index(self.nodes.len());
        self.bury(index);
        if self.nodes[index].is_none() {
            self.open(index);
            return Ok(());
        }
        let is_asleep = self.nodes[index].as_ref().is_some_and(|node| node.asleep_until > self.clock.now());
        match self.dice.below(100) {
            0..5 => self.pass_time(),
            5..20 => self.client_acts(index),
            20 if !self.is_calm => self.nap(index),
            21 if !self.is_calm && self.dice.percent(20) => self.crash(index),
            _ if is_asleep => self.pass_time(),
            22..45 => self.node_commits(index),
            45..65 => self.body_acts(index),
            _ => self.node_acts(index),
        }
        self.bury(index);
        self.look_at_begun(index)?;
        for wish in &mut self.wishes {
            wish.listen()?;
        }
        Ok(())
    }

    /// Removes an engine that has died.
    fn bury(&mut self, index: usize) {
        if self.nodes[index].as_ref().is_some_and(|node| node.fuse.is_dead()) {
            self.crash(index);
        }
    }

    fn crash(&mut self, index: usize) {
        if let Some(node) = self.nodes[index].take() {
            self.report.crashes += 1;
            self.report.stopped += node.stopped;
            self.report.failed_commits += node.failed_commits;
            self.report.successions += node.successions;
        }
    }

    fn open(&mut self, index: usize) {
        // An engine that dies while it opens is opened again by a later action.
        self.nodes[index] =
            Node::open(&self.plan, &self.store, &self.clock, &mut self.dice, self.is_calm).ok();
    }

    fn nap(&mut self, index: usize) {
        let until = self.clock.now().after(LEASE * 2);
        if let Some(node) = &mut self.nodes[index] {
            self.report.naps += 1;
            node.asleep_until = until;
        }
    }

    /// Moves the clocks on, to the next moment at which something has to happen, or by a bit.
    fn pass_time(&mut self) {
        let now = self.clock.now();
        let next = self.nodes.iter().flatten().map(Node::next_wake).min().unwrap_or(Timestamp::MAX);
        let by = if next <= now || next == Timestamp::MAX || self.dice.percent(30) {
            Duration::from_millis(self.dice.below(500))
        } else {
            next.since(now).min(LEASE / 4)
        };
        self.clock.advance(by);
        self.store.advance(by);
    }

    fn client_acts(&mut self, index: usize) {
        if self.wishes.is_empty() {
            return;
        }
        let wish = self.dice.index(self.wishes.len());
        let again = self.dice.percent(5);
        let cancel = self.dice.percent(10);
        let (Some(wish), Some(node)) = (self.wishes.get_mut(wish), self.nodes[index].as_mut()) else {
            return;
        };
        let shard = wish.request.workflow_id.shard(SHARDS);
        if wish.outcome.is_none() && node.owns(shard) {
            wish.ask(node, again, cancel);
        }
    }

    fn node_commits(&mut self, index: usize) {
        if let Some(node) = &mut self.nodes[index] {
            node.commit();
        }
    }

    fn node_acts(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        node.keep();
        let busy: Vec<ShardId> = node.inboxes.keys().copied().collect();
        if let Some(shard) = busy.get(self.dice.index(busy.len())) {
            node.deliver(*shard);
        } else if let Some(shard) = node.due_shard() {
            node.step(shard, ShardMessage::Wake);
        } else {
            self.pass_time();
        }
    }

    /// A body ends, or beats, or goes on.
    fn body_acts(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        let keys: Vec<AttemptKey> = node.running.keys().copied().collect();
        let Some(key) = keys.get(self.dice.index(keys.len())).copied() else { return };
        if self.dice.percent(20) {
            let (reply, _) = oneshot::channel();
            let details = Payload::json(&self.dice.below(1_000)).ok();
            node.post(key.shard, ShardMessage::Heartbeat { key, details, reply });
            return;
        }
        // Some bodies hang until a timeout ends them.
        if !self.is_calm && self.dice.percent(10) {
            return;
        }
        let draw = self.dice.next();
        if let Some(running) = node.running.remove(&key) {
            let result = result_of(&self.plan, running, draw);
            node.post(key.shard, ShardMessage::AttemptEnded { key, result, details: None });
        }
    }

    fn look_at_begun(&mut self, index: usize) -> Result<(), String> {
        let Some(node) = &mut self.nodes[index] else { return Ok(()) };
        let begun = std::mem::take(&mut node.begun);
        let session = node.session();
        self.report.attempts += u64::try_from(begun.len()).unwrap_or(0);
        begun.into_iter().try_for_each(|key| self.check_begun(key, session))
    }
}

fn result_of(plan: &Simulation, running: Running, draw: u64) -> Result<Payload, AttemptError> {
    let Running { attempt, is_cancelled } = running;
    if is_cancelled && draw.is_multiple_of(3) {
        return Err(AttemptError::Cancelled);
    }
    match &attempt.body {
        Body::Step(body) => body().now_or_never().unwrap_or(Err(AttemptError::WorkerLost)),
        Body::Activity(_) => match plan.activities.get(&attempt.info.activity) {
            Some(body) => body(&attempt.info, &attempt.input, draw),
            None => Err(AttemptError::WorkerLost),
        },
    }
}
