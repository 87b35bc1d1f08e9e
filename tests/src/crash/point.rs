//! Named points of the engine, its store and the worker around it, and what a kill at each of them means.

use super::phase::Phase;

/// A point at which a worker can end itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(u8);

/// Where a point lies with regard to what is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// A kill there falls into this phase, beyond what the worker itself knows.
    In(Phase),
    /// What was decided is not durable yet, so nobody may know of it.
    BeforeDurable,
    /// Somebody outside was just told, so it must be durable.
    Told,
    Other,
}

/// A point of the worker's own: the outside world was called by a body.
pub(crate) const CALLED: &str = "called";
/// A point of the worker's own: something was acknowledged to a caller.
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";

/// Those with `store-` are steps of the store's commit.
const POINTS: &[(&str, Meaning)] = &[
    ("opening", Meaning::In(Phase::Opening)),
    ("claimed", Meaning::In(Phase::Opening)),
    ("before-commit", Meaning::BeforeDurable),
    ("store-begin", Meaning::BeforeDurable),
    ("store-applied", Meaning::BeforeDurable),
    ("store-flushed", Meaning::Other),
    ("store-synced", Meaning::In(Phase::CommitToAcknowledgement)),
    ("after-commit-before-ack", Meaning::In(Phase::CommitToAcknowledgement)),
    ("after-commit-before-dispatch", Meaning::In(Phase::CommitToDispatch)),
    ("body-started", Meaning::In(Phase::Body)),
    ("body-finished", Meaning::In(Phase::Body)),
    ("compensating", Meaning::In(Phase::Compensating)),
    ("evicted", Meaning::Other),
    (CALLED, Meaning::Told),
    (ACKNOWLEDGED, Meaning::Told),
];

/// The marks of points in a trace begin here.
const FIRST_MARK: u8 = 0x80;

impl Point {
    /// The point with this name, if it is known.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let index = POINTS.iter().position(|(known, _)| *known == name)?;
        u8::try_from(index).ok().map(Self)
    }

    /// All known points.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        POINTS.iter().filter_map(|(name, _)| Self::of(name))
    }

    pub(crate) fn name(self) -> &'static str {
        POINTS[usize::from(self.0)].0
    }

    pub(crate) fn phase(self) -> Option<Phase> {
        match POINTS[usize::from(self.0)].1 {
            Meaning::In(phase) => Some(phase),
            Meaning::BeforeDurable | Meaning::Told | Meaning::Other => None,
        }
    }

    /// Whether what was decided before it can still be lost.
    pub(crate) fn is_before_durable(self) -> bool {
        POINTS[usize::from(self.0)].1 == Meaning::BeforeDurable
    }

    /// Whether somebody outside was just told something there.
    pub(crate) fn is_told(self) -> bool {
        POINTS[usize::from(self.0)].1 == Meaning::Told
    }

    pub(crate) fn mark(self) -> u8 {
        FIRST_MARK + self.0
    }

    pub(crate) fn of_mark(mark: u8) -> Option<Self> {
        let index = mark.checked_sub(FIRST_MARK)?;
        (usize::from(index) < POINTS.len()).then_some(Self(index))
    }
}
