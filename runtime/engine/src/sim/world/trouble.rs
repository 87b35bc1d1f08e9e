//! Things that go wrong, and their end.

use steadfast_store::faults::CallKind;
use steadfast_store::{Commits, Room};

use super::super::node::{LEASE, Node};
use super::super::report::DeathMoment;
use super::super::time::world_now;
use super::whole::World;

/// How far a wall clock is set off at most, in seconds.
const WALL_SHIFT_MAX: u64 = 7_200;
/// How many actions an outage takes at most.
const OUTAGE_MAX: u64 = 60;

impl World {
    pub(super) fn make_trouble(&mut self, index: usize) {
        match self.dice.below(100) {
            0..22 => self.nap(index),
            22..32 => self.crash(index),
            32..46 => self.leave(index),
            46..64 => self.step_wall_clock(index),
            64..76 => self.begin_outage(index),
            76..88 => self.change_room(),
            // Nothing is trouble too: the engine just does nothing for a while.
            _ => self.pass_time(),
        }
    }

    fn nap(&mut self, index: usize) {
        let until = world_now(&self.store.inner).after(LEASE * 2);
        if let Some(node) = &mut self.nodes[index] {
            self.report.counts.naps += 1;
            node.asleep_until = until;
            self.note(index, 20, || "falls asleep".to_owned());
        }
    }

    fn leave(&mut self, index: usize) {
        if let Some(node) = &mut self.nodes[index] {
            node.leave();
            self.note(index, 21, || "is to shut down".to_owned());
        }
    }

    pub(super) fn go_on_leaving(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        let (back, is_over) = node.go_on_leaving();
        self.hand_back(index, back);
        // It may have died at its last call.
        self.bury(index);
        if is_over && self.nodes[index].is_some() {
            self.note(index, 22, || "has shut down".to_owned());
            self.report.counts.handovers += 1;
            self.remove(index);
        }
    }

    /// The wall clock of an engine is set, forwards or back.
    fn step_wall_clock(&mut self, index: usize) {
        let far = i64::try_from(self.dice.below(WALL_SHIFT_MAX * 1_000_000)).unwrap_or(0);
        let shift = match self.dice.below(3) {
            0 => 0,
            1 => far,
            _ => -far,
        };
        if let Some(node) = &mut self.nodes[index] {
            self.report.counts.clock_steps += 1;
            node.clock.set_wall_shift(shift);
            self.note(index, 23, || format!("its wall clock is set off by {shift} µs"));
        }
    }

    fn begin_outage(&mut self, index: usize) {
        let actions = 1 + self.dice.below(OUTAGE_MAX);
        if let Some(node) = &mut self.nodes[index]
            && node.outage_left == 0
        {
            node.outage_left = actions;
            node.set_outage(true);
            self.note(index, 24, || format!("its store is away for {actions} actions"));
        }
    }

    pub(super) fn end_outage(&mut self, index: usize) {
        let Some(node) = &mut self.nodes[index] else { return };
        if node.outage_left > 0 {
            node.outage_left -= 1;
            if node.outage_left == 0 {
                node.set_outage(false);
                self.note(index, 25, || "its store is back".to_owned());
            }
        }
    }

    fn change_room(&mut self) {
        self.is_full = !self.is_full;
        self.report.counts.full_stores += u64::from(self.is_full);
        let room = if self.is_full { Room::Low { free: 1, reserve: 2 } } else { Room::Enough };
        self.store.inner.set_room(room);
        let is_full = self.is_full;
        self.trace.note(&[26, u64::from(is_full)]);
        self.trace.tell(|| format!("the store is full: {is_full}"));
    }

    /// Removes an engine that has died at a call of the store.
    pub(super) fn bury(&mut self, index: usize) {
        let died_at = self.nodes[index].as_ref().and_then(|node| node.fuse.died_at());
        if died_at.is_some() {
            self.note(index, 27, || format!("dies at {died_at:?}"));
            self.count_death(died_at);
            self.remove(index);
        }
    }

    pub(super) fn count_death(&mut self, died_at: Option<(CallKind, DeathMoment)>) {
        self.report.counts.crashes += 1;
        if let Some(place) = died_at {
            *self.report.deaths.entry(place).or_default() += 1;
        }
    }

    fn crash(&mut self, index: usize) {
        if self.nodes[index].is_some() {
            self.note(index, 28, || "dies".to_owned());
            self.count_death(None);
            self.remove(index);
        }
    }

    /// An engine is gone: its bodies are cut off, and what it sent may arrive.
    fn remove(&mut self, index: usize) {
        let Some(mut node) = self.nodes[index].take() else { return };
        self.report.counts.add(&node.final_counts());
        for running in std::mem::take(&mut node.running).into_values() {
            let (key, input) = (&running.attempt.info.idempotency_key, &running.attempt.input);
            self.outside.cut_off(key, input, &mut self.dice);
        }
        if let Some(group) = node.take_sent()
            && self.dice.percent(60)
        {
            self.orphans.push(group);
        }
    }

    /// Nothing goes wrong any more.
    pub(super) fn begin_calm(&mut self) {
        self.is_calm = true;
        self.store.inner.set_room(Room::Enough);
        for orphan in std::mem::take(&mut self.orphans) {
            self.report.counts.orphan_writes += 1;
            drop(self.store.commit(&orphan));
        }
        self.nodes.iter_mut().flatten().for_each(Node::calm);
        self.trace.note(&[29]);
        self.trace.tell(|| "nothing goes wrong any more".to_owned());
    }
}
