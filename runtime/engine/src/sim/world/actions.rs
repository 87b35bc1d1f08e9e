//! One action: something happens to one engine, or in one.

use std::time::Duration;

use steadfast_core::ShardId;
use steadfast_store::{Commits, ListFilter};

use super::super::digest::of_message;
use super::super::node::{LEASE, Node, Opening};
use super::super::time::world_now;
use super::whole::World;
use crate::message::ShardMessage;

impl World {
    pub(super) fn act(&mut self) -> Result<(), String> {
        self.report.counts.actions += 1;
        let index = self.dice.index(self.nodes.len());
        match &self.nodes[index] {
            Some(_) => self.act_with(index),
            None if self.is_calm || self.dice.percent(40) => self.open(index),
            None => self.pass_time(),
        }
        self.end_outage(index);
        self.look(index)?;
        self.bury(index);
        Ok(())
    }

    fn act_with(&mut self, index: usize) {
        let is_asleep = self.nodes[index].as_ref().is_some_and(Node::is_asleep);
        let is_leaving = self.nodes[index].as_ref().is_some_and(Node::is_leaving);
        match self.dice.below(100) {
            0..5 => self.pass_time(),
            5..18 => self.client_acts(index),
            18..20 if !self.is_calm => self.make_trouble(index),
            20 => self.adopt(),
            // What was sent before it fell asleep arrives all the same.
            21..30 if is_asleep => self.land(index),
            _ if is_asleep => self.pass_time(),
            21..31 if is_leaving => self.go_on_leaving(index),
            21..45 => self.node_commits(index),
            45..63 => self.body_acts(index),
            63 if !self.is_calm => self.list(index),
            _ => self.node_acts(index),
        }
    }

    fn open(&mut self, index: usize) {
        let opening =
            Opening { plan: &self.plan, store: &self.store, dice: &mut self.dice, is_calm: self.is_calm };
        match Node::open(opening) {
            Ok(node) => {
                let (session, owned) = (node.session(), node.owned());
                self.nodes[index] = Some(node);
                self.note(index, 1, || format!("opens, session {session:?}, shards {owned:?}"));
            }
            Err(fuse) => {
                // An engine that dies while it opens is opened again by a later action.
                let died_at = fuse.died_at();
                self.count_death(died_at);
                self.note(index, 2, || format!("cannot open, died at {died_at:?}"));
            }
        }
    }

    /// Moves the clocks on, to the next moment at which something has to happen, or by a bit.
    pub(super) fn pass_time(&mut self) {
        let awake = self.nodes.iter().flatten().filter(|node| !node.is_asleep());
        let wait = awake.filter_map(Node::wait).min();
        let by = match wait {
            Some(wait) if !wait.is_zero() && !self.dice.percent(30) => wait.min(LEASE / 4),
            _ => Duration::from_millis(self.dice.below(500)),
        };
        self.store.inner.advance(by);
        let now = world_now(&self.store.inner);
        self.trace.note(&[3, now.as_micros()]);
        self.trace.tell(|| format!("time is {now}"));
    }

    /// The committer sends, the store takes, the answer comes: at once, or with other things in between.
    fn node_commits(&mut self, index: usize) {
        let is_fast = self.dice.percent(60);
        let Some(node) = &mut self.nodes[index] else { return };
        if node.send() && !is_fast {
            node.counts.slow_commits += 1;
            self.note(index, 4, || "sends a group".to_owned());
            return;
        }
        self.land(index);
        if is_fast || self.dice.percent(50) {
            self.answer(index);
        }
    }

    fn land(&mut self, index: usize) {
        if self.nodes[index].as_mut().is_some_and(Node::land) {
            self.note(index, 5, || "a group reaches the store".to_owned());
        }
    }

    fn answer(&mut self, index: usize) {
        if let Some(answer) = self.nodes[index].as_mut().and_then(Node::hear_answer) {
            self.note(index, 6, || format!("hears of its group: {answer}"));
        }
    }

    fn node_acts(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        if node.keep() {
            let (session, owned) = (node.session(), node.owned());
            self.note(index, 7, || format!("keeps its session: {session:?}, shards {owned:?}"));
            return;
        }
        let busy: Vec<ShardId> = node.inboxes.keys().copied().collect();
        if let Some(shard) = busy.get(self.dice.index(busy.len())).copied() {
            if let Some(message) = node.take_message(shard) {
                self.step(index, shard, message);
            }
        } else if let Some(shard) = node.due_shard() {
            self.step(index, shard, ShardMessage::Wake);
        } else {
            self.pass_time();
        }
    }

    fn step(&mut self, index: usize, shard: ShardId, message: ShardMessage) {
        let (number, text) = of_message(&message);
        self.trace.note(&[8, index as u64, u64::from(shard.0), number]);
        self.tell(index, || format!("shard {shard}: {text}"));
        if let Some(node) = &mut self.nodes[index] {
            node.step(shard, message);
        }
    }

    /// A client lists runs and dead letters; what it sees is made durable first.
    fn list(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        let store = &node.shared.store;
        let rows = store.list(&ListFilter::default(), None, 20).map(|page| page.rows.len());
        let letters = store.dead_letters(None, 20).map(|page| page.rows.len());
        let settled = crate::runner::settle(&**store);
        let is_good = settled.is_ok() && rows.is_ok() && letters.is_ok();
        self.note(index, 9, || format!("lists: {is_good}"));
    }

    /// A group of an engine that is gone reaches the store.
    fn adopt(&mut self) {
        if self.orphans.is_empty() {
            return;
        }
        let orphan = self.orphans.remove(self.dice.index(self.orphans.len()));
        self.report.counts.orphan_writes += 1;
        // Nobody hears what became of it.
        drop(self.store.commit(&orphan));
        self.trace.note(&[10]);
        self.trace.tell(|| "a group of an engine that is gone reaches the store".to_owned());
    }

    pub(super) fn note(&mut self, index: usize, what: u64, text: impl FnOnce() -> String) {
        self.trace.note(&[what, index as u64]);
        self.tell(index, text);
    }

    /// A line for people, with the engine and its time.
    pub(super) fn tell(&mut self, index: usize, text: impl FnOnce() -> String) {
        use crate::clock::EngineClock;
        let now = self.nodes[index].as_ref().map(|node| node.clock.now());
        let action = self.report.counts.actions;
        self.trace.tell(|| match now {
            Some(now) => format!("{action} {now} engine {index}: {}", text()),
            None => format!("{action} engine {index}: {}", text()),
        });
    }
}
