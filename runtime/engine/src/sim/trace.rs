//! What happened, as one number and, if somebody wants to read it, as lines.

use std::collections::VecDeque;

use super::digest::roll;

/// How many lines are kept.
const LINES_MAX: usize = 400;

/// The trace of a simulation.
#[derive(Debug, Default)]
pub(super) struct Trace {
    hash: u64,
    /// `None` if nobody wants to read it.
    lines: Option<VecDeque<String>>,
}

impl Trace {
    /// Only the number.
    pub(super) fn silent() -> Self {
        Self::default()
    }

    /// The number and the last lines.
    pub(super) fn told() -> Self {
        Self { hash: 0, lines: Some(VecDeque::new()) }
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Notes something that numbers tell apart.
    pub(super) fn note(&mut self, numbers: &[u64]) {
        for number in numbers {
            self.hash = roll(self.hash, *number);
        }
    }

    /// A line for people; `text` is made only if somebody wants to read it.
    pub(super) fn tell(&mut self, text: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            if lines.len() == LINES_MAX {
                lines.pop_front();
            }
            lines.push_back(text());
        }
    }

    pub(super) fn take_lines(&mut self) -> Vec<String> {
        self.lines.take().unwrap_or_default().into()
    }
}
