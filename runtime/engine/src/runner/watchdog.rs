//! The watchdog's thread: finds workflow code that does not come back, and gives its thread up.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::seat::Seat;
use super::sharding::{self, Links};
use super::threads::{Threads, spawn};
use crate::watch::{ELAPSED_CALM, GIVEN_UP_MAX, Spell, Used, verdict};

/// A thread that is looked after.
struct Watched {
    seat: Arc<Seat>,
    /// The spell that was seen last, and when it was first seen. Its beginning is not noted by the thread itself,
    /// which has better things to do; what is missed by that is at most the pause between two looks.
    seen: Option<(u64, Instant)>,
}

/// Looks after the threads of shards.
pub(super) struct Watchdog {
    links: Links,
    watched: Vec<Watched>,
    threads: Arc<Mutex<Threads>>,
    /// Whether somebody was told that no further thread is given up.
    has_complained: bool,
}

impl Watchdog {
    pub(super) fn new(links: Links, seats: Vec<Arc<Seat>>, threads: Arc<Mutex<Threads>>) -> Self {
        let watched = seats.into_iter().map(|seat| Watched { seat, seen: None }).collect();
        Self { links, watched, threads, has_complained: false }
    }

    /// Looks again and again until it is told to stop.
    pub(super) fn run(mut self, stop: &Receiver<()>) {
        let pause = self.links.shared.config.watch.look_every;
        while stop.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            for index in 0..self.watched.len() {
                self.look(index);
            }
        }
    }

    fn look(&mut self, index: usize) {
        let Some(watched) = self.watched.get_mut(index) else { return };
        let Some(spell) = watched.seat.watch.look() else {
            watched.seen = None;
            return;
        };
        let first = match watched.seen {
            Some((number, first)) if number == spell.number => first,
            Some(_) | None => Instant::now(),
        };
        watched.seen = Some((spell.number, first));
        let probe = self.links.shared.config.watch.probe.as_ref();
        let used =
            probe.and_then(|probe| probe(spell.run)).unwrap_or_else(|| used(&watched.seat, spell, first));
        if let Some(why) = verdict(used).text() {
            self.give_up(index, spell, why);
        }
    }

    fn give_up(&mut self, index: usize, spell: Spell, why: &str) {
        let Some(watched) = self.watched.get_mut(index) else { return };
        let Spell { shard, run, number, .. } = spell;
        if self.links.shared.given_up.load(Ordering::Acquire) >= GIVEN_UP_MAX {
            if !std::mem::replace(&mut self.has_complained, true) {
                tracing::error!(
                    %shard, run_id = %run, limit = GIVEN_UP_MAX,
                    "workflow code {why} and is not given up: too many threads were; its shards stand still",
                );
            }
            return;
        }
        // The successor is there before anything is taken away, so that nothing is lost if it cannot be had.
        let seat = watched.seat.next_seat();
        let (will, inheritance) = mpsc::channel();
        let (links, place) = (self.links.clone(), Arc::clone(&seat));
        let work = move || {
            if let Ok(inheritance) = inheritance.recv() {
                sharding::run(links, place, Some(inheritance));
            }
        };
        let thread = match spawn(format!("steadfast-shards-{index}"), "shards", work) {
            Ok(thread) => thread,
            Err(error) => {
                tracing::error!(%shard, run_id = %run, %error, "workflow code {why}, but no thread can take over");
                return;
            }
        };
        if !watched.seat.watch.give_up(number) {
            // The code came back at the last moment. Without a will the new thread ends.
            return;
        }
        let given_up = self.links.shared.given_up.fetch_add(1, Ordering::AcqRel) + 1;
        tracing::error!(
            %shard, run_id = %run, given_up,
            "workflow code {why} in one activation; its thread is given up and its shards begin anew",
        );
        // The new thread waits for this.
        drop(will.send(watched.seat.clear(run, shard, why)));
        *watched = Watched { seat, seen: None };
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody waits for the old thread. While the engine stops, nobody waits for the new one either.
        if let Some(handle) = threads.shards.get_mut(index) {
            *handle = thread;
        }
    }
}

fn used(seat: &Seat, spell: Spell, first: Instant) -> Used {
    let elapsed = first.elapsed();
    let cpu = (elapsed > ELAPSED_CALM).then(|| seat.watch.cpu_since(spell.cpu_before)).flatten();
    Used { elapsed, cpu }
}
