//! Judges the service's books: did every tour end as it should, with each effect exactly once?
//!
//! Pure, and it looks at nothing but the outside service's own records: what the workflow engine believes is of no
//! account here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::booking::{Booking, BookingState, Books};
use super::step::Kind;

#[cfg(test)]
mod tests;

/// How a tour ended for its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// All three are booked, none is cancelled, each effect happened exactly once.
    Completed,
    /// Whatever took effect was cancelled exactly once; nothing is left booked, and no money is kept.
    Compensated,
}

/// A tour that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// The id that its bookings carry.
    pub id: String,
    /// How it ended for its caller.
    pub expected: Expected,
}

/// What balanced books add up to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tours that are booked.
    pub completed: usize,
    /// Tours that were unwound.
    pub compensated: usize,
    /// Bookings that took effect, cancelled ones included.
    pub booked: u64,
    /// Cancels that took effect.
    pub cancelled: u64,
    /// Cents of all bookings that still stand.
    pub cents: i128,
    /// Calls beyond the first for a key and action; none had an effect.
    pub repeated_calls: u64,
    /// Keys that were declined.
    pub declined: usize,
    /// Keys whose undo found nothing.
    pub barred: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { completed, compensated, booked, cancelled, cents, repeated_calls, declined, barred } =
            self;
        write!(
            f,
            "tours: {completed} completed, {compensated} compensated; bookings: {booked} took effect, {cancelled} \
             cancelled, {declined} declined, {barred} barred; {repeated_calls} repeated calls had no effect; \
             {cents} cents stand"
        )
    }
}

/// Compares the books with the tours that were asked for.
///
/// # Errors
///
/// One sentence for each thing that is wrong.
pub fn judge(books: &Books, tours: &[Tour]) -> Result<Summary, Vec<String>> {
    let mut by_tour = BTreeMap::<&str, Vec<&Booking>>::new();
    for booking in &books.bookings {
        by_tour.entry(&booking.tour).or_default().push(booking);
    }
    let mut seen = BTreeSet::new();
    let mut complaints = Vec::new();
    for Tour { id, expected } in tours {
        if !seen.insert(id.as_str()) {
            complaints.push(format!("tour {id:?} is listed twice"));
            continue;
        }
        let bookings = by_tour.remove(id.as_str()).unwrap_or_default();
        let found = match expected {
            Expected::Completed => check_completed(&bookings),
            Expected::Compensated => check_compensated(&bookings),
        };
        complaints.extend(found.into_iter().map(|complaint| format!("tour {id:?}: {complaint}")));
    }
    for (id, bookings) in by_tour {
        complaints.push(format!(
            "tour {id:?}: nobody asked for it, but the books have it {} times",
            bookings.len()
        ));
    }
    if complaints.is_empty() { Ok(summarise(books, tours)) } else { Err(complaints) }
}

fn check_completed(bookings: &[&Booking]) -> Vec<String> {
    let mut complaints = Vec::new();
    for kind in Kind::ALL {
        let of_kind = bookings.iter().filter(|booking| booking.kind == kind);
        let effects: Vec<_> = of_kind.filter(|booking| booking.booked > 0).collect();
        match effects.as_slice() {
            [] => complaints.push(format!("no {kind} is booked")),
            [booking] if booking.booked == 1 => {}
            [booking] => complaints.push(format!("{} was booked {} times", name(booking), booking.booked)),
            several => {
                let names: Vec<_> = several.iter().map(|booking| name(booking)).collect();
                complaints.push(format!(
                    "it has {} bookings of one kind: {}",
                    several.len(),
                    names.join(", ")
                ));
            }
        }
    }
    for booking in bookings {
        match booking.state {
            BookingState::Cancelled => complaints.push(format!("{} was cancelled", name(booking))),
            BookingState::Barred => complaints.push(format!("{} was barred by a cancel", name(booking))),
            BookingState::Booked if booking.cancelled > 0 => {
                complaints.push(format!(
                    "{} is booked, but was cancelled {} times",
                    name(booking),
                    booking.cancelled
                ));
            }
            BookingState::Booked | BookingState::Declined => {}
        }
    }
    complaints
}

fn check_compensated(bookings: &[&Booking]) -> Vec<String> {
    let mut complaints = Vec::new();
    for booking in bookings {
        if booking.state == BookingState::Booked {
            complaints.push(format!("{} is still booked", name(booking)));
        } else if booking.booked > 1 || booking.booked != booking.cancelled {
            complaints.push(format!(
                "{} took effect {} times and was cancelled {} times",
                name(booking),
                booking.booked,
                booking.cancelled
            ));
        }
    }
    let cents = balance(bookings.iter().copied());
    if cents != 0 {
        complaints.push(format!("{cents} cents were not given back"));
    }
    complaints
}

fn name(booking: &Booking) -> String {
    format!("{} {:?} (key {:?})", booking.kind, booking.subject, booking.idempotency_key)
}

/// Counted from effects, not from states, so that the two are checked against each other.
fn balance<'a>(bookings: impl Iterator<Item = &'a Booking>) -> i128 {
    bookings
        .map(|booking| {
            i128::from(booking.cents) * (i128::from(booking.booked) - i128::from(booking.cancelled))
        })
        .sum()
}

fn summarise(books: &Books, tours: &[Tour]) -> Summary {
    let with_state = |state| books.bookings.iter().filter(|booking| booking.state == state).count();
    let ended = |expected| tours.iter().filter(|tour| tour.expected == expected).count();
    let sum =
        |count: fn(&Booking) -> u32| books.bookings.iter().map(|booking| u64::from(count(booking))).sum();
    Summary {
        completed: ended(Expected::Completed),
        compensated: ended(Expected::Compensated),
        booked: sum(|booking| booking.booked),
        cancelled: sum(|booking| booking.cancelled),
        cents: balance(books.bookings.iter()),
        repeated_calls: sum(|booking| {
            booking.book_calls.saturating_sub(1).saturating_add(booking.cancel_calls.saturating_sub(1))
        }),
        declined: with_state(BookingState::Declined),
        barred: with_state(BookingState::Barred),
    }
}
