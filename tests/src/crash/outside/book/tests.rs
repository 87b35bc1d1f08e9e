use super::Book;
use crate::crash::finding::Kind;
use crate::crash::outside::{Answer, Call};

fn call(key: &str, attempt: u32, earlier: &[&str]) -> Call {
    Call {
        workflow: "w".to_owned(),
        activity: "a".to_owned(),
        key: key.to_owned(),
        attempt,
        earlier: earlier.iter().map(ToString::to_string).collect(),
        undoes: None,
        failures: 0,
        details: None,
    }
}

fn kinds(book: &Book) -> Vec<Kind> {
    book.findings().iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_retry_is_no_repeat_and_has_no_second_effect() {
    let mut book = Book::default();
    let first = book.take(1, &call("A", 1, &[]));
    assert_eq!(book.take(2, &call("A", 2, &[])), first);
    book.take(2, &call("B", 1, &["A"]));
    assert_eq!(kinds(&book), []);
    assert_eq!((book.counts().calls, book.counts().retries, book.counts().effects), (3, 1, 2));
}

#[test]
fn a_call_whose_result_was_used_is_a_repeat_even_in_its_own_round() {
    let mut book = Book::default();
    book.take(1, &call("A", 1, &[]));
    book.take(1, &call("B", 1, &["A"]));
    book.take(1, &call("A", 2, &[]));
    assert_eq!(kinds(&book), [Kind::Repeated]);
}

#[test]
fn one_attempt_runs_once() {
    let mut book = Book::default();
    book.take(1, &call("A", 1, &[]));
    book.take(2, &call("A", 1, &[]));
    assert_eq!(kinds(&book), [Kind::Repeated]);
    // A body that is not told its attempt may come again.
    book.take(1, &call("B", 0, &[]));
    book.take(2, &call("B", 0, &[]));
    assert_eq!(kinds(&book), [Kind::Repeated]);
}

#[test]
fn what_a_caller_was_told_counts_from_the_next_round_on() {
    let mut book = Book::default();
    book.take(1, &call("A", 1, &[]));
    book.told_completed(1, "w", "A");
    book.told_end(1, "w");
    book.take(1, &call("A", 2, &[]));
    assert_eq!(kinds(&book), [], "the two logs of one round are not ordered");
    book.take(2, &call("A", 3, &[]));
    assert_eq!(kinds(&book), [Kind::Repeated, Kind::Repeated]);
    book.told_completed(2, "w", "never called");
    assert_eq!(kinds(&book).last(), Some(&Kind::Wrong));
}

#[test]
fn an_undo_settles_everything_before_it_but_itself() {
    let mut book = Book::default();
    let undo = |key: &str, attempt| Call { undoes: Some("A".to_owned()), ..call(key, attempt, &[]) };
    book.take(1, &call("A", 1, &[]));
    book.take(1, &undo("U", 1));
    book.take(2, &undo("U", 2));
    assert_eq!(kinds(&book), []);
    book.take(2, &call("A", 2, &[]));
    assert_eq!(kinds(&book), [Kind::Repeated]);
    let effects = book.effects().remove("w").unwrap();
    assert_eq!((effects.forward.len(), effects.undos.len()), (1, 1));
}

#[test]
fn heartbeat_details_never_go_back_and_are_what_was_said() {
    let mut book = Book::default();
    let details = |attempt, details| Call { details: Some(details), ..call("A", attempt, &[]) };
    book.take(1, &details(1, 0));
    book.said("A", 7);
    book.take(2, &details(2, 7));
    assert_eq!(kinds(&book), []);
    book.take(3, &details(3, 6));
    assert_eq!(kinds(&book), [Kind::Lost]);
    book.take(4, &details(4, 8));
    assert_eq!(kinds(&book), [Kind::Lost, Kind::Wrong]);
}

#[test]
fn failures_on_request_come_first() {
    let mut book = Book::default();
    let failing = |attempt| Call { failures: 2, ..call("A", attempt, &[]) };
    let fails: Vec<bool> = (1..=4).map(|attempt| book.take(1, &failing(attempt)).fails).collect();
    assert_eq!(fails, [true, true, false, false]);
    assert_eq!(book.take(1, &failing(5)), Answer { value: 1, fails: false });
    assert_eq!(book.counts().effects, 1);
}
