//! Calls and answers as they travel, and the checks on what arrives.

use serde::{Deserialize, Serialize};

use super::booking::BookingId;
use super::step::{Action, Kind};

/// The longest text that a field of a call may hold.
pub const FIELD_BYTES_MAX: usize = 1_000;

/// The body of `POST /{kind}/book`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookRequest {
    /// The tour that the booking belongs to.
    pub tour: String,
    /// The same for every attempt.
    pub idempotency_key: String,
    /// Hotel, flight or user.
    pub subject: String,
    /// What it costs.
    pub cents: u64,
    /// Counts from 1; kept for the reader of the ledger, it decides nothing.
    pub attempt: u32,
    /// Asks to be declined, which is how a single tour is made to fail.
    #[serde(default)]
    pub decline: bool,
}

/// The body of `POST /{kind}/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelRequest {
    /// The tour that the booking belongs to.
    pub tour: String,
    /// The key of the **forward** call.
    pub idempotency_key: String,
    /// Hotel, flight or user, as in the forward call.
    pub subject: String,
    /// The price, as in the forward call.
    pub cents: u64,
    /// The undo's own attempt; counts from 1.
    pub attempt: u32,
}

/// What a cancel found. A repeated cancel finds what the first one found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undone {
    /// The booking was in effect and is no more.
    Cancelled,
    /// Nothing was in effect, and the key is barred.
    Nothing,
}

/// A call that passed the checks: what the ledger keeps and the register decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) action: Action,
    pub(crate) kind: Kind,
    pub(crate) tour: String,
    pub(crate) idempotency_key: String,
    pub(crate) subject: String,
    pub(crate) cents: u64,
    pub(crate) attempt: u32,
    /// Recorded, because the options that asked for it may be others when the ledger is loaded.
    pub(crate) decline: bool,
}

impl Call {
    /// Reads the body of a call, or says what is wrong with it.
    pub(crate) fn parse(kind: Kind, action: Action, body: &[u8]) -> Result<Self, String> {
        let call = match action {
            Action::Book => Self::of_book(kind, read(body)?),
            Action::Cancel => Self::of_cancel(kind, read(body)?),
        };
        check_text("tour", &call.tour)?;
        check_text("idempotency_key", &call.idempotency_key)?;
        check_text("subject", &call.subject)?;
        if call.attempt == 0 {
            return Err("attempt counts from 1".to_owned());
        }
        Ok(call)
    }

    fn of_book(kind: Kind, request: BookRequest) -> Self {
        let BookRequest { tour, idempotency_key, subject, cents, attempt, decline } = request;
        Self { action: Action::Book, kind, tour, idempotency_key, subject, cents, attempt, decline }
    }

    fn of_cancel(kind: Kind, request: CancelRequest) -> Self {
        let CancelRequest { tour, idempotency_key, subject, cents, attempt } = request;
        Self { action: Action::Cancel, kind, tour, idempotency_key, subject, cents, attempt, decline: false }
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("the body is not a call: {error}"))
}

fn check_text(field: &str, text: &str) -> Result<(), String> {
    match text.len() {
        0 => Err(format!("{field} is empty")),
        length if length > FIELD_BYTES_MAX => {
            Err(format!("{field} has {length} bytes, at most {FIELD_BYTES_MAX} are allowed"))
        }
        _ => Ok(()),
    }
}

/// The answer to a booking that is in effect.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BookedBody {
    pub(crate) booking_id: BookingId,
}

/// The answer to a cancel.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UndoneBody {
    pub(crate) undone: Undone,
}

/// The answer to a call that is refused.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RefusedBody {
    pub(crate) code: RefusalCode,
    pub(crate) message: String,
}

/// Why a call is refused; what a caller branches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefusalCode {
    Declined,
    Barred,
    Mismatch,
    Invalid,
    TooLarge,
    Unknown,
    Unavailable,
}
