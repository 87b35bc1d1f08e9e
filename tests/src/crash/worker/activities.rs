//! The bodies. Each tells the ledger that it began before it does anything else.

use std::time::Duration;

use steadfast::prelude::*;
use tour_booking::service::client::CallError;
use tour_booking::service::{BookRequest, CancelRequest, Kind};

use super::world::{World, world};
use crate::crash::line::Receipt;
use crate::crash::outside::{Answer, Call};

/// What a body is asked to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ticket {
    pub(crate) workflow: String,
    /// For people.
    pub(crate) name: String,
    /// The keys of all results that the workflow has in hand.
    pub(crate) earlier: Vec<String>,
    /// How many attempts the outside world lets fail.
    pub(crate) failures: u32,
    /// How long the body takes, in milliseconds.
    pub(crate) pace: u64,
}

/// A step of a tour.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Booking {
    pub(crate) ticket: Ticket,
    pub(crate) kind: Kind,
    pub(crate) decline: bool,
}

/// Why an attempt failed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub(crate) enum WorldError {
    #[error("not this time")]
    NotThisTime,
    #[error("declined")]
    #[failure(non_retryable)]
    Declined,
    #[error("no answer: {0}")]
    NoAnswer(String),
    #[error("stopped")]
    Stopped,
}

/// What every booking costs.
const CENTS: u64 = 100;
/// How long one beat of a long activity takes.
const BEAT: Duration = Duration::from_millis(50);

/// One effect outside.
#[activity(
    start_to_close = "30s",
    retry(initial_interval = "30ms", maximum_interval = "200ms", maximum_attempts = 0)
)]
pub(crate) async fn record(ctx: ActivityContext, ticket: Ticket) -> Result<Receipt, WorldError> {
    let world = the_world()?;
    let _running = world.trace.body();
    let answer = call(world, &ctx, &ticket, None).await?;
    if answer.fails {
        return Err(WorldError::NotThisTime);
    }
    tokio::time::sleep(Duration::from_millis(ticket.pace)).await;
    Ok(Receipt { key: ctx.idempotency_key().to_owned(), value: answer.value })
}

/// A long effect, which goes on where the attempt before it was heard of last.
#[activity(
    heartbeat = "1s",
    retry(initial_interval = "30ms", maximum_interval = "200ms", maximum_attempts = 0)
)]
pub(crate) async fn beat(ctx: ActivityContext, ticket: Ticket, beats: u32) -> Result<Receipt, WorldError> {
    let world = the_world()?;
    let _running = world.trace.body();
    let details = ctx.heartbeat_details::<u32>();
    let answer = call(world, &ctx, &ticket, Some(details.unwrap_or(0))).await?;
    for progress in details.unwrap_or(0) + 1..=beats {
        tokio::select! {
            () = tokio::time::sleep(BEAT) => {}
            () = ctx.cancelled() => return Err(WorldError::Stopped),
        }
        world.ledger.beat(ctx.idempotency_key(), progress).await.map_err(|error| no_answer(&error))?;
        ctx.heartbeat(progress).map_err(|error| no_answer(&error))?;
    }
    Ok(Receipt { key: ctx.idempotency_key().to_owned(), value: answer.value })
}

/// Books one part of a tour.
#[activity(
    start_to_close = "30s",
    compensate = unbook,
    retry(initial_interval = "30ms", maximum_interval = "200ms", maximum_attempts = 0)
)]
pub(crate) async fn book(ctx: ActivityContext, booking: Booking) -> Result<Receipt, WorldError> {
    let world = the_world()?;
    let _running = world.trace.body();
    let answer = call(world, &ctx, &booking.ticket, None).await?;
    let request = BookRequest {
        tour: booking.ticket.workflow.clone(),
        idempotency_key: ctx.idempotency_key().to_owned(),
        subject: booking.ticket.name.clone(),
        cents: CENTS,
        attempt: ctx.attempt(),
        decline: booking.decline,
    };
    let booked = world.booking.book(booking.kind, &request).await;
    tokio::time::sleep(Duration::from_millis(booking.ticket.pace)).await;
    match booked {
        Ok(_) => Ok(Receipt { key: request.idempotency_key, value: answer.value }),
        Err(CallError::Declined | CallError::Barred) => Err(WorldError::Declined),
        Err(error) => Err(no_answer(&error)),
    }
}

/// Undoes a [`book`].
#[activity(
    start_to_close = "30s",
    retry(initial_interval = "30ms", maximum_interval = "200ms", maximum_attempts = 0)
)]
pub(crate) async fn unbook(ctx: ActivityContext, step: UndoOf<book>) -> Result<(), WorldError> {
    let world = the_world()?;
    let _running = world.trace.body();
    let _undoing = world.trace.undo();
    let ticket = &step.input.ticket;
    let call = Call {
        workflow: ticket.workflow.clone(),
        activity: format!("undo of {}", ticket.name),
        key: ctx.idempotency_key().to_owned(),
        attempt: ctx.attempt(),
        earlier: ticket.earlier.clone(),
        undoes: Some(step.idempotency_key.clone()),
        failures: 0,
        details: None,
    };
    world.call(call).await.map_err(|error| no_answer(&error))?;
    let request = CancelRequest {
        tour: ticket.workflow.clone(),
        idempotency_key: step.idempotency_key.clone(),
        subject: ticket.name.clone(),
        cents: CENTS,
        attempt: ctx.attempt(),
    };
    let undone = world.booking.cancel(step.input.kind, &request).await;
    tokio::time::sleep(Duration::from_millis(ticket.pace)).await;
    undone.map(drop).map_err(|error| no_answer(&error))
}

/// One effect outside, from a closure of the workflow's own. It is not told its attempt.
pub(crate) async fn note(ticket: Ticket, key: String) -> Result<Receipt, AnyFailure> {
    let world = the_world()?;
    let _running = world.trace.body();
    let Ticket { workflow, name, earlier, failures, pace } = ticket;
    let call =
        Call { workflow, activity: name, key, attempt: 0, earlier, undoes: None, failures, details: None };
    let key = call.key.clone();
    let answer = world.call(call).await?;
    tokio::time::sleep(Duration::from_millis(pace)).await;
    Ok(Receipt { key, value: answer.value })
}

async fn call(
    world: &World,
    ctx: &ActivityContext,
    ticket: &Ticket,
    details: Option<u32>,
) -> Result<Answer, WorldError> {
    let call = Call {
        workflow: ticket.workflow.clone(),
        activity: ticket.name.clone(),
        key: ctx.idempotency_key().to_owned(),
        attempt: ctx.attempt(),
        earlier: ticket.earlier.clone(),
        undoes: None,
        failures: ticket.failures,
        details,
    };
    world.call(call).await.map_err(|error| no_answer(&error))
}

fn the_world() -> Result<&'static World, WorldError> {
    world().ok_or_else(|| WorldError::NoAnswer("there is no world".to_owned()))
}

fn no_answer(error: &dyn std::error::Error) -> WorldError {
    WorldError::NoAnswer(error.to_string())
}
