//! Where a worker was when it was killed: marks in a small file that outlives it.
//!
//! Each mark is one byte, appended with one system call, so that a kill leaves it whole or absent. What was entered
//! and not left is where the process was.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::point::Point;

#[cfg(test)]
mod tests;

/// What a worker can be in the middle of. A kill can fall into several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// A body of an activity ran.
    Body,
    /// A commit was durable and an attempt that it granted had not begun.
    CommitToDispatch,
    /// A commit was durable and a caller had not been told.
    CommitToAcknowledgement,
    /// A saga was unwinding.
    Compensating,
    /// The store or the engine was being opened.
    Opening,
}

impl Phase {
    /// All of them, in the order of the report.
    pub(crate) const ALL: [Self; 5] = [
        Self::Body,
        Self::CommitToDispatch,
        Self::CommitToAcknowledgement,
        Self::Compensating,
        Self::Opening,
    ];

    /// How the report names it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Body => "while a body ran",
            Self::CommitToDispatch => "between commit and dispatch",
            Self::CommitToAcknowledgement => "between commit and acknowledgement",
            Self::Compensating => "while compensating",
            Self::Opening => "while opening",
        }
    }
}

const OPENING: u8 = b'O';
const OPENED: u8 = b'o';
const BODY: u8 = b'B';
const BODY_OVER: u8 = b'b';
const UNDO: u8 = b'U';
const UNDO_OVER: u8 = b'u';
/// The worker ends itself; the mark of the point stands before it.
const KILL: u8 = b'K';

/// The worker's end.
#[derive(Debug)]
pub(crate) struct Trace(File);

/// Leaves what was entered when it is dropped.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    trace: &'a Trace,
    over: u8,
}

impl Trace {
    /// Opens the file, which begins empty.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be opened.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A truncated file is not needed: each round has one of its own.
        OpenOptions::new().create(true).append(true).open(path).map(Self)
    }

    pub(crate) fn opening(&self) -> Entered<'_> {
        self.enter(OPENING, OPENED)
    }

    pub(crate) fn body(&self) -> Entered<'_> {
        self.enter(BODY, BODY_OVER)
    }

    pub(crate) fn undo(&self) -> Entered<'_> {
        self.enter(UNDO, UNDO_OVER)
    }

    /// The engine reached a fail point.
    pub(crate) fn point(&self, point: Point) {
        self.mark(point.mark());
    }

    /// The process ends itself at a fail point.
    pub(crate) fn kill(&self, point: Point) {
        self.write(&[point.mark(), KILL]);
    }

    fn enter(&self, mark: u8, over: u8) -> Entered<'_> {
        self.mark(mark);
        Entered { trace: self, over }
    }

    fn mark(&self, mark: u8) {
        self.write(&[mark]);
    }

    fn write(&self, marks: &[u8]) {
        // Only the classification suffers from a mark that cannot be written, and the report shows what is missing.
        drop((&self.0).write_all(marks));
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.trace.mark(self.over);
    }
}

/// The parent's end: what the marks say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    bytes: Vec<u8>,
}

impl Marks {
    /// Reads the file of a worker that is gone. One that never made it had not begun.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self { bytes }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// The fail point at which the worker ended itself.
    pub(crate) fn killed_at(&self) -> Option<Point> {
        let at = self.bytes.iter().rposition(|byte| *byte == KILL)?;
        Point::of_mark(*self.bytes.get(at.checked_sub(1)?)?)
    }

    /// How often a fail point was reached.
    pub(crate) fn hits(&self, point: Point) -> u64 {
        self.count(point.mark()) as u64
    }

    /// Everything that the worker was in the middle of.
    pub(crate) fn phases(&self) -> Vec<Phase> {
        let open = |mark, over| self.count(mark) > self.count(over);
        let mut phases = Vec::new();
        if open(OPENING, OPENED) {
            phases.push(Phase::Opening);
        }
        if open(BODY, BODY_OVER) {
            phases.push(Phase::Body);
        }
        if open(UNDO, UNDO_OVER) {
            phases.push(Phase::Compensating);
        }
        phases.extend(self.killed_at().and_then(Point::phase));
        phases.sort_unstable();
        phases.dedup();
        phases
    }

    fn count(&self, mark: u8) -> usize {
        self.bytes.iter().filter(|byte| **byte == mark).count()
    }
}
