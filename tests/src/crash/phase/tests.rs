use std::mem::ManuallyDrop;

use super::{Marks, Phase, Trace};
use crate::crash::point::Point;

fn marks(work: impl FnOnce(&Trace)) -> Marks {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("marks");
    assert_eq!(Marks::read(&path).unwrap(), Marks::default(), "a worker that never began");
    work(&Trace::create(&path).unwrap());
    Marks::read(&path).unwrap()
}

#[test]
fn what_was_entered_and_not_left_counts() {
    let dispatch = Point::of("after-commit-before-dispatch").unwrap();
    let marks = marks(|trace| {
        drop(trace.opening());
        drop(trace.undo());
        trace.point(dispatch);
        let first = trace.body();
        let second = trace.body();
        drop(first);
        trace.kill(dispatch);
        // Another thread may get so far; the second body never ends.
        drop(trace.undo());
        let _never_ends = ManuallyDrop::new(second);
    });
    assert_eq!(marks.phases(), [Phase::Body, Phase::CommitToDispatch]);
    assert_eq!(marks.killed_at(), Some(dispatch));
    assert_eq!(marks.hits(dispatch), 2);
}

#[test]
fn a_kill_from_outside_while_opening() {
    let marks = marks(|trace| {
        let _never_ends = ManuallyDrop::new(trace.opening());
    });
    assert_eq!(marks.phases(), [Phase::Opening]);
    assert_eq!(marks.killed_at(), None);
}

#[test]
fn every_point_has_a_mark_of_its_own() {
    let mut marks: Vec<u8> = Point::all().map(Point::mark).collect();
    assert!(Point::all().all(|point| Point::of_mark(point.mark()) == Some(point)));
    assert!(Point::all().all(|point| Point::of(point.name()) == Some(point)));
    marks.dedup();
    assert_eq!(marks.len(), Point::all().count());
    assert_eq!(Point::of("no such point"), None);
    assert_eq!(Point::of_mark(b'K'), None);
}
