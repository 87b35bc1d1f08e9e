//! What a caller asks for: one workflow, drawn from the seed and its number alone, so that every process knows it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::dice::Dice;

/// The kinds of workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// Activities one after the other.
    Sequence,
    /// A saga against the booking service.
    Tour,
    /// Durable timers between activities.
    Nap,
    /// An activity that fails a few times before it succeeds.
    Flaky,
    /// A long activity with heartbeats that carry details.
    Beat,
    /// Eight activities at a time.
    Fan,
    /// A durable side effect between activities.
    Note,
}

/// The input of every workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The workflow's id.
    pub(crate) workflow: String,
    /// How many activities, timers, failures or beats.
    pub(crate) size: u32,
    /// How long a body takes, in milliseconds.
    pub(crate) pace: u64,
    /// How long a timer takes, in milliseconds.
    pub(crate) rest: u64,
    /// The step of a tour that the service declines.
    pub(crate) decline: Option<u32>,
    /// Makes some inputs and results so large that the store keeps them in pieces.
    pub(crate) padding: String,
}

/// How a workflow ends when nobody cancels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Completed,
    Declined,
}

/// One workflow of a caller.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) number: u64,
    pub(crate) shape: Shape,
    pub(crate) order: Order,
    /// The caller cancels it so long after its start.
    pub(crate) cancel_after: Option<Duration>,
}

/// Activities of a [`Shape::Fan`] that run at a time.
pub(crate) const FAN_WIDTH: u32 = 8;
/// Steps of a tour.
pub(crate) const TOUR_STEPS: u32 = 3;

/// Over the largest value that the store keeps in one piece.
const PADDING_BYTES: usize = 9_000;

const SHAPES: [(u64, Shape); 7] = [
    (20, Shape::Sequence),
    (34, Shape::Tour),
    (12, Shape::Nap),
    (10, Shape::Flaky),
    (10, Shape::Beat),
    (7, Shape::Fan),
    (7, Shape::Note),
];

impl Case {
    /// The case with this number.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let mut dice = Dice::new(seed, number);
        let shape = draw_shape(&mut dice);
        let (size, pace, rest) = match shape {
            Shape::Sequence => (dice.between(3, 8), dice.between(5, 120), 0),
            Shape::Tour => (u64::from(TOUR_STEPS), dice.between(20, 150), dice.between(0, 300)),
            Shape::Nap => {
                let longest = if dice.percent(20) { 3_000 } else { 1_000 };
                (dice.between(1, 3), dice.between(0, 30), dice.between(50, longest))
            }
            Shape::Flaky => (dice.between(1, 4), dice.between(0, 60), 0),
            Shape::Beat => (dice.between(5, 60), 50, 0),
            Shape::Fan => (u64::from(FAN_WIDTH), dice.between(5, 200), 0),
            Shape::Note => (1, dice.between(5, 100), 0),
        };
        let decline =
            (shape == Shape::Tour && dice.percent(60)).then(|| small(dice.below(u64::from(TOUR_STEPS))));
        let may_be_cancelled = matches!(shape, Shape::Sequence | Shape::Tour | Shape::Nap | Shape::Beat);
        let cancel_after = (may_be_cancelled && dice.percent(15)).then(|| dice.millis(10, 700));
        let workflow = format!("{}-{number}", shape.name());
        let padding = if dice.percent(10) { "x".repeat(PADDING_BYTES) } else { String::new() };
        let order = Order { workflow, size: small(size), pace, rest, decline, padding };
        Self { number, shape, order, cancel_after }
    }

    /// The workflow's id.
    pub(crate) fn id(&self) -> &str {
        &self.order.workflow
    }

    /// How it ends when nobody cancels it.
    pub(crate) fn expected(&self) -> Expected {
        if self.order.decline.is_some() { Expected::Declined } else { Expected::Completed }
    }

    /// How many effects it has outside, undos aside, when nobody cancels it.
    pub(crate) fn effects(&self) -> usize {
        let count = match self.shape {
            Shape::Sequence => self.order.size,
            Shape::Tour => self.order.decline.map_or(TOUR_STEPS, |step| step + 1),
            Shape::Nap => self.order.size + 1,
            Shape::Flaky | Shape::Beat => 2,
            Shape::Fan => FAN_WIDTH + 1,
            Shape::Note => 3,
        };
        count as usize
    }
}

impl Shape {
    /// The registered name, with which ids begin.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Tour => "tour",
            Self::Nap => "nap",
            Self::Flaky => "flaky",
            Self::Beat => "beat",
            Self::Fan => "fan",
            Self::Note => "note",
        }
    }
}

fn draw_shape(dice: &mut Dice) -> Shape {
    let mut rest = dice.below(SHAPES.iter().map(|(weight, _)| weight).sum());
    for (weight, shape) in SHAPES {
        match rest.checked_sub(weight) {
            Some(less) => rest = less,
            None => return shape,
        }
    }
    Shape::Sequence
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
