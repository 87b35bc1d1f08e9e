//! Every tour balances, by the booking service's own books.

use tour_booking::service::Books;
use tour_booking::service::books::{Expected, Tour, judge};

use super::judge::{Findings, Matter};
use crate::crash::case::Shape;
use crate::crash::finding::Kind;
use crate::crash::line::Outcome;

/// Returns a summary of the books.
pub(super) fn check(matters: &[Matter<'_>], books: &Books, findings: &mut Findings) -> String {
    let tours = matters.iter().filter(|matter| matter.caller.case.shape == Shape::Tour);
    let tours: Vec<Tour> = tours
        .map(|matter| {
            let is_completed = matches!(matter.run.outcome(), Some(Outcome::Completed(_)));
            let expected = if is_completed { Expected::Completed } else { Expected::Compensated };
            Tour { id: matter.caller.case.id().to_owned(), expected }
        })
        .collect();
    match judge(books, &tours) {
        Ok(summary) => summary.to_string(),
        Err(complaints) => {
            let count = complaints.len();
            complaints.into_iter().for_each(|complaint| findings.add(Kind::Wrong, complaint));
            format!("{} tours, {count} complaints", tours.len())
        }
    }
}
