//! The outside world of the example: a booking service that a saga has to deal with over HTTP.
//!
//! It is a process of its own with its own state on disk, so it stands for hotels, airlines and banks that know
//! nothing of workflows. What it promises is what a saga needs from any such service:
//!
//! - **A repeated idempotency key has no second effect**; it is answered with the first answer.
//! - **A cancel carries the key of the booking it undoes.** One that finds nothing succeeds and bars the key, so a
//!   forward call that was still on its way is refused when it arrives.
//! - **Nothing is answered before it is durable**: every accepted call is a line of an append-only ledger, synced
//!   first. The service can be killed at any moment.
//!
//! On request it misbehaves as real services do: it declines ([`BookRequest::decline`], `--fail`), or acts and then
//! drops the connection (`--lose-reply`), so that the caller cannot know what happened.
//!
//! | Call | Answer |
//! | --- | --- |
//! | `POST /{kind}/book` with a [`BookRequest`] | 200 `{"booking_id": …}`, 402 `declined`, 409 `barred` |
//! | `POST /{kind}/cancel` with a [`CancelRequest`] | 200 `{"undone": "cancelled" \| "nothing"}` |
//! | `GET /books` | 200 with all [`Books`] |
//!
//! A kind is `hotel`, `flight` or `card`. Every refusal is `{"code": …, "message": …}`; other codes are `invalid` (400),
//! `unknown` (404, 405), `too_large` (413), `mismatch` (422: the key was used for another booking) and
//! `unavailable` (503). A refused call other than `declined` and `barred` stores nothing.
//!
//! The data flow, one file each: `http` reads a call, `clerk` orders and commits it, `register` decides it,
//! `ledger` keeps it. [`client`] is the caller's side, [`books`] judges the result.

pub mod books;
pub mod client;
pub mod process;

mod booking;
mod call;
mod clerk;
mod hangup;
mod http;
mod ledger;
mod options;
mod register;
mod run;
mod step;

#[cfg(test)]
mod tests;

pub use booking::{Booking, BookingId, BookingState, Books};
pub use call::{BookRequest, CancelRequest, FIELD_BYTES_MAX, Undone};
pub use ledger::LedgerError;
pub use options::Options;
pub use run::{READY_PREFIX, Running, run, start};
pub use step::{Action, KIND_NAMES, Kind, STEP_NAMES, Step};
