//! When each worker is killed, drawn from the seed.
//!
//! Of every block of rounds half the kills fall at a random moment and half at a fail point, in such numbers that no
//! phase is left out; only their order and their exact moments are left to chance.

use std::collections::BTreeMap;
use std::time::Duration;

use super::dice::Dice;
use super::phase::{Marks, Phase};
use super::point::Point;

#[cfg(test)]
mod tests;

/// How a worker is to be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kill {
    /// So long after it began to open the store.
    Opening { after: Duration },
    /// So long after everything was in flight.
    Ready { after: Duration },
    /// By itself, when it reaches a fail point for so many times. It stalls there first.
    Point { point: Point, hit: u64, stall: Duration },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Opening,
    Ready,
    Phase(Phase),
    /// A point before something becomes durable: the moment at which nobody may know of it yet.
    BeforeDurable,
    /// A point at which somebody outside was just told: it must be durable.
    Told,
    AnyPoint,
}

/// How many kills of each kind there are in a block. Half are at random moments.
const BLOCK: [(usize, Aim); 8] = [
    (3, Aim::Opening),
    (7, Aim::Ready),
    (2, Aim::Phase(Phase::CommitToDispatch)),
    (2, Aim::Phase(Phase::CommitToAcknowledgement)),
    (1, Aim::Phase(Phase::Compensating)),
    (2, Aim::BeforeDurable),
    (2, Aim::Told),
    (1, Aim::AnyPoint),
];

/// The longest time that a worker lives once everything is in flight, when it is killed at a random moment.
const READY_MAX_MILLIS: u64 = 1_400;
/// The longest that a thread stalls at the fail point where it ends its process.
const STALL_MAX_MILLIS: u64 = 6;
/// How often a fail point is assumed to be reached before anything is known.
const HITS_AT_FIRST: u64 = 20;
/// How long opening is assumed to take before anything is known.
const OPENING_AT_FIRST: Duration = Duration::from_millis(40);

/// Draws kills, and learns how long things take from what it sees.
#[derive(Debug)]
pub(crate) struct Plan {
    dice: Dice,
    block: Vec<Aim>,
    opening: Duration,
    hits: BTreeMap<Point, u64>,
    /// The longest life of a worker, if all lives are short.
    life_max: Option<u64>,
    draws: u64,
}

impl Plan {
    pub(crate) fn new(seed: u64, life_max: Option<u64>) -> Self {
        Self {
            life_max,
            draws: 0,
            dice: Dice::new(seed, u64::MAX / 2),
            block: Vec::new(),
            opening: OPENING_AT_FIRST,
            hits: BTreeMap::new(),
        }
    }

    /// The kill of the next round. The first ever lets the worker bring its workflows into flight.
    pub(crate) fn draw(&mut self) -> Kill {
        self.draws += 1;
        if let Some(life_max) = self.life_max {
            return self.short(life_max);
        }
        if self.block.is_empty() {
            let first = self.hits.is_empty();
            self.block = shuffled_block(&mut self.dice);
            if first && let Some(at) = self.block.iter().position(|aim| *aim == Aim::Ready) {
                let last = self.block.len() - 1;
                self.block.swap(at, last);
            }
        }
        match self.block.pop().unwrap_or(Aim::Ready) {
            Aim::Opening => Kill::Opening { after: self.opening * self.permille() / 1_000 },
            Aim::Ready => Kill::Ready { after: self.dice.millis(0, READY_MAX_MILLIS) },
            Aim::Phase(phase) => self.at_point(|point| point.phase() == Some(phase)),
            Aim::BeforeDurable => self.at_point(Point::is_before_durable),
            Aim::Told => self.at_point(Point::is_told),
            Aim::AnyPoint => self.at_point(|_| true),
        }
    }

    /// Every second life sees everything in flight; of the others some end while starts are on their way.
    fn short(&mut self, life_max: u64) -> Kill {
        let after = self.dice.millis(0, life_max);
        if self.draws.is_multiple_of(2) { Kill::Opening { after } } else { Kill::Ready { after } }
    }

    /// Learns from a worker that is gone.
    pub(crate) fn learn(&mut self, opening: Option<Duration>, marks: &Marks) {
        if let Some(opening) = opening {
            // Slowly, because the time to open grows with the store.
            self.opening = (self.opening * 3 + opening) / 4;
        }
        for point in Point::all() {
            let hits = self.hits.entry(point).or_insert(HITS_AT_FIRST);
            // What a worker that was killed early did not reach says nothing.
            *hits = marks.hits(point).max(*hits * 7 / 8);
        }
    }

    fn at_point(&mut self, fits: impl Fn(Point) -> bool) -> Kill {
        let is_reached = |point: &Point| self.hits.get(point).is_none_or(|hits| *hits > 0);
        let mut points: Vec<Point> = Point::all().filter(|point| fits(*point) && is_reached(point)).collect();
        if points.is_empty() {
            points = Point::all().filter(|point| fits(*point)).collect();
        }
        let point = self.dice.pick(&points);
        let usual = self.hits.get(&point).copied().unwrap_or(HITS_AT_FIRST);
        // Mostly short: what is not durable now may be a moment later.
        let stall =
            Duration::from_micros(self.dice.below(STALL_MAX_MILLIS * 1_000) * self.dice.permille() / 1_000);
        Kill::Point { point, hit: self.dice.between(1, (usual / 2).max(1)), stall }
    }

    fn permille(&mut self) -> u32 {
        u32::try_from(self.dice.permille()).unwrap_or(0)
    }
}

fn shuffled_block(dice: &mut Dice) -> Vec<Aim> {
    let mut left: Vec<Aim> =
        BLOCK.iter().flat_map(|(count, aim)| std::iter::repeat_n(*aim, *count)).collect();
    let mut block = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let at = usize::try_from(dice.below(left.len() as u64)).unwrap_or(0);
        block.push(left.swap_remove(at));
    }
    block
}
