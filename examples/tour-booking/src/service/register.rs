//! Decides calls: what a key's state and a call lead to. Pure; the ledger is replayed through it at load.
//!
//! ```text
//!            book                        cancel
//!  (none) ──────────► Booked ──────────────────────────► Cancelled
//!     │  └─ declined ► Declined ── cancel ──► Barred
//!     └──────────── cancel ─────────────────► Barred
//! ```
//!
//! Every other call leaves the state as it is. **Invariant:** `Cancelled` and `Barred` are final, so a forward call
//! that arrives after its undo never takes effect.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::booking::{Booking, BookingId, BookingState, Books};
use super::call::Call;
use super::step::{Action, Kind};

#[cfg(test)]
mod tests;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The booking took effect.
    Booked,
    /// It already had; the first answer is given again.
    BookedAlready,
    /// Refused on request, now or at the first call.
    Declined,
    /// Refused, because the undo came first.
    Barred,
    /// The undo took effect.
    Cancelled,
    /// It already had.
    CancelledAlready,
    /// Nothing was in effect; the key is barred.
    Nothing,
}

/// A decided call: one line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Counts from 1 without a gap.
    pub(crate) number: u64,
    #[serde(flatten)]
    pub(crate) call: Call,
    pub(crate) outcome: Outcome,
}

/// What the caller is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) booking_id: Option<BookingId>,
    /// Whether the key saw this action for the first time. Follows from the ledger, so that it survives a restart.
    pub(crate) first_call: bool,
}

/// The key was used for another booking, which a correct caller never does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the idempotency key was used for another booking: tour {tour:?}, subject {subject:?}, {cents} cents"
)]
pub(crate) struct Mismatch {
    tour: String,
    subject: String,
    cents: u64,
}

/// All keys that the service ever heard of.
#[derive(Debug, Default)]
pub(crate) struct Register {
    bookings: Vec<Booking>,
    by_key: BTreeMap<(Kind, String), usize>,
    entry_count: u64,
}

impl Register {
    /// Decides a call and takes it in. The same calls in the same order lead to the same entries.
    pub(crate) fn take(&mut self, call: Call) -> Result<(Entry, Answer), Mismatch> {
        let index = self.by_key.get(&(call.kind, call.idempotency_key.clone())).copied();
        if let Some(index) = index {
            check_same(&self.bookings[index], &call)?;
        }
        let state = index.map(|index| self.bookings[index].state);
        let (outcome, state) = decide(state, call.action, call.decline);
        self.entry_count += 1;
        let number = self.entry_count;
        let booking = match index {
            Some(index) => &mut self.bookings[index],
            None => self.insert(&call, state),
        };
        let first_call = note(booking, &call, outcome);
        booking.state = state;
        if outcome == Outcome::Booked {
            booking.booking_id = Some(BookingId::new(call.kind, number));
        }
        let answer = Answer { outcome, booking_id: booking.booking_id.clone(), first_call };
        Ok((Entry { number, call, outcome }, answer))
    }

    pub(crate) fn books(&self) -> Books {
        Books { bookings: self.bookings.clone() }
    }

    fn insert(&mut self, call: &Call, state: BookingState) -> &mut Booking {
        let index = self.bookings.len();
        self.by_key.insert((call.kind, call.idempotency_key.clone()), index);
        self.bookings.push(Booking {
            kind: call.kind,
            tour: call.tour.clone(),
            idempotency_key: call.idempotency_key.clone(),
            subject: call.subject.clone(),
            cents: call.cents,
            state,
            booking_id: None,
            book_calls: 0,
            cancel_calls: 0,
            booked: 0,
            cancelled: 0,
            last_attempt: 0,
        });
        &mut self.bookings[index]
    }
}

/// The whole state machine. A declined key stays declined, as it would with a bank that keeps its first answer.
fn decide(state: Option<BookingState>, action: Action, decline: bool) -> (Outcome, BookingState) {
    use BookingState::{Barred, Booked, Cancelled, Declined};
    match (action, state) {
        (Action::Book, None) if decline => (Outcome::Declined, Declined),
        (Action::Book, None) => (Outcome::Booked, Booked),
        (Action::Book, Some(Booked)) => (Outcome::BookedAlready, Booked),
        (Action::Book, Some(Declined)) => (Outcome::Declined, Declined),
        (Action::Book, Some(Cancelled)) => (Outcome::Barred, Cancelled),
        (Action::Book, Some(Barred)) => (Outcome::Barred, Barred),
        (Action::Cancel, Some(Booked)) => (Outcome::Cancelled, Cancelled),
        (Action::Cancel, Some(Cancelled)) => (Outcome::CancelledAlready, Cancelled),
        (Action::Cancel, None | Some(Declined | Barred)) => (Outcome::Nothing, Barred),
    }
}

/// Counts the call and its effect; says whether it was the key's first of its action.
fn note(booking: &mut Booking, call: &Call, outcome: Outcome) -> bool {
    booking.last_attempt = call.attempt;
    booking.booked += u32::from(outcome == Outcome::Booked);
    booking.cancelled += u32::from(outcome == Outcome::Cancelled);
    let call_count = match call.action {
        Action::Book => &mut booking.book_calls,
        Action::Cancel => &mut booking.cancel_calls,
    };
    *call_count = call_count.saturating_add(1);
    *call_count == 1
}

fn check_same(booking: &Booking, call: &Call) -> Result<(), Mismatch> {
    let Booking { tour, subject, cents, .. } = booking;
    if (tour, subject, cents) == (&call.tour, &call.subject, &call.cents) {
        return Ok(());
    }
    Err(Mismatch { tour: tour.clone(), subject: subject.clone(), cents: *cents })
}
