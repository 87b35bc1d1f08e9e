//! Something that must not be.

use std::fmt;

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Something acknowledged is not there.
    Lost,
    /// Something whose outcome was known ran again.
    Repeated,
    /// Anything else.
    Wrong,
}

/// Something that must not be, with the round in which it came to light.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    pub(crate) round: u32,
    pub(crate) text: String,
}

impl Finding {
    pub(crate) fn new(kind: Kind, round: u32, text: impl Into<String>) -> Self {
        Self { kind, round, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Lost => "lost",
            Kind::Repeated => "repeated",
            Kind::Wrong => "wrong",
        };
        write!(f, "{kind}, round {}: {}", self.round, self.text)
    }
}
