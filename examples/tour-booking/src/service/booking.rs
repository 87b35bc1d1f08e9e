//! What the service knows of a key, as `GET /books` shows it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::step::Kind;

/// The service's name for a booking that took effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BookingId(String);

impl BookingId {
    /// The id of the booking made by the ledger's entry of this number, so that it needs no counter of its own.
    pub(crate) fn new(kind: Kind, entry_number: u64) -> Self {
        Self(format!("{kind}-{entry_number}"))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BookingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where an idempotency key stands. The diagram is in the `register` module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookingState {
    /// In effect.
    Booked,
    /// Refused when it was asked for; nothing happened.
    Declined,
    /// It was in effect and has been undone.
    Cancelled,
    /// It was undone before it took effect: it never will.
    Barred,
}

/// Everything the service knows of one idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// What is booked.
    pub kind: Kind,
    /// The tour that it belongs to.
    pub tour: String,
    /// The key of the forward call; its undo carries the same.
    pub idempotency_key: String,
    /// Hotel, flight or user.
    pub subject: String,
    /// What it costs.
    pub cents: u64,
    /// Where the key stands.
    pub state: BookingState,
    /// Present once it took effect, also after it was cancelled.
    pub booking_id: Option<BookingId>,
    /// How often it was asked for, repeats and refusals included.
    pub book_calls: u32,
    /// How often its undo was asked for, repeats included.
    pub cancel_calls: u32,
    /// How often the booking took effect.
    pub booked: u32,
    /// How often the undo took effect.
    pub cancelled: u32,
    /// The caller's attempt number in its newest call.
    pub last_attempt: u32,
}

/// All that the service knows, in the order in which it first heard of each key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// One entry for each kind and key.
    pub bookings: Vec<Booking>,
}
