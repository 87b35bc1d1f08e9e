//! What touches the outside world: calls to the booking service.
//!
//! Each forward call hands on its idempotency key, the same in every attempt, and each undo hands on the key of the
//! step that it undoes. That, and nothing else, is what makes it safe that an activity may run more than once.

use steadfast::prelude::*;

use crate::service::client::{BookingClient, CallError};
use crate::service::{BookRequest, BookingId, CancelRequest, Kind, Undone};

/// What is ordered from one of the companies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Hotel, flight or user.
    pub subject: String,
    /// What it costs.
    pub cents: u64,
    /// Asks to be declined.
    pub decline: bool,
}

/// Why a call gave no result, and what should happen next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BookingError {
    /// The service refused for good. Nothing happened.
    #[error("declined")]
    #[failure(non_retryable)]
    Declined,
    /// The undo came before the forward call. Nothing happened, nor ever will under this key.
    #[error("the key is barred by a cancel")]
    #[failure(non_retryable)]
    Barred,
    /// The call is wrong; sending it again is of no use. Nothing happened.
    #[error("the service refuses the call: {0}")]
    #[failure(non_retryable)]
    Invalid(String),
    /// No answer. Not marked: it is tried again, and what it did counts as unknown.
    #[error("no answer: {0}")]
    Network(String),
    /// The service has trouble of its own. Not marked either.
    #[error("the service has trouble: {0}")]
    Busy(String),
}

impl From<CallError> for BookingError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Declined => Self::Declined,
            CallError::Barred => Self::Barred,
            CallError::Invalid(message) => Self::Invalid(message),
            CallError::Network(message) => Self::Network(message),
            CallError::Unavailable(message) => Self::Busy(message),
        }
    }
}

/// The activities of a tour. What they share is the client.
#[derive(Debug)]
pub struct Bookings {
    client: BookingClient,
}

#[activity]
impl Bookings {
    /// Activities that call the service of this client.
    #[must_use]
    pub fn new(client: BookingClient) -> Self {
        Self { client }
    }

    /// Books a room.
    #[activity(
        start_to_close = "10s",
        compensate = cancel_hotel,
        retry(initial_interval = "200ms", maximum_interval = "2s", maximum_attempts = 10),
    )]
    pub(crate) async fn book_hotel(
        &self,
        ctx: ActivityContext,
        order: Order,
    ) -> Result<BookingId, BookingError> {
        self.book(Kind::Hotel, &ctx, order).await
    }

    /// Undoes [`book_hotel`](bookings::book_hotel).
    #[activity(start_to_close = "10s", retry(initial_interval = "200ms", maximum_interval = "2s"))]
    pub(crate) async fn cancel_hotel(
        &self,
        ctx: ActivityContext,
        step: UndoOf<bookings::book_hotel>,
    ) -> Result<Undone, BookingError> {
        self.cancel(Kind::Hotel, &ctx, step).await
    }

    /// Books a seat.
    #[activity(
        start_to_close = "10s",
        compensate = cancel_flight,
        retry(initial_interval = "200ms", maximum_interval = "2s", maximum_attempts = 10),
    )]
    pub(crate) async fn book_flight(
        &self,
        ctx: ActivityContext,
        order: Order,
    ) -> Result<BookingId, BookingError> {
        self.book(Kind::Flight, &ctx, order).await
    }

    /// Undoes [`book_flight`](bookings::book_flight).
    #[activity(start_to_close = "10s", retry(initial_interval = "200ms", maximum_interval = "2s"))]
    pub(crate) async fn cancel_flight(
        &self,
        ctx: ActivityContext,
        step: UndoOf<bookings::book_flight>,
    ) -> Result<Undone, BookingError> {
        self.cancel(Kind::Flight, &ctx, step).await
    }

    /// Takes the money.
    #[activity(
        start_to_close = "10s",
        compensate = refund,
        retry(initial_interval = "200ms", maximum_interval = "2s", maximum_attempts = 10),
    )]
    pub(crate) async fn charge_card(
        &self,
        ctx: ActivityContext,
        order: Order,
    ) -> Result<BookingId, BookingError> {
        self.book(Kind::Card, &ctx, order).await
    }

    /// Undoes [`charge_card`](bookings::charge_card).
    #[activity(start_to_close = "10s", retry(initial_interval = "200ms", maximum_interval = "2s"))]
    pub(crate) async fn refund(
        &self,
        ctx: ActivityContext,
        step: UndoOf<bookings::charge_card>,
    ) -> Result<Undone, BookingError> {
        self.cancel(Kind::Card, &ctx, step).await
    }

    async fn book(&self, kind: Kind, ctx: &ActivityContext, order: Order) -> Result<BookingId, BookingError> {
        let request = BookRequest {
            tour: ctx.info().workflow_id.to_string(),
            idempotency_key: ctx.idempotency_key().to_string(),
            subject: order.subject,
            cents: order.cents,
            attempt: ctx.attempt(),
            decline: order.decline,
        };
        Ok(self.client.book(kind, &request).await?)
    }

    /// Whether the step took effect may be unknown: the service knows it by the step's key.
    async fn cancel(
        &self,
        kind: Kind,
        ctx: &ActivityContext,
        step: Undo<Order, BookingId>,
    ) -> Result<Undone, BookingError> {
        let request = CancelRequest {
            tour: ctx.info().workflow_id.to_string(),
            idempotency_key: step.idempotency_key,
            subject: step.input.subject,
            cents: step.input.cents,
            attempt: ctx.attempt(),
        };
        Ok(self.client.cancel(kind, &request).await?)
    }
}
