//! The service as a process that is killed with SIGKILL.

use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tour_booking::service::client::{BookingClient, CallError};
use tour_booking::service::process::ServiceProcess;
use tour_booking::service::{BookRequest, Booking, BookingId, CancelRequest, Kind, Options, Step, Undone};

const CALLERS: u32 = 8;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tour-booking"))
}

fn book(key: &str) -> BookRequest {
    BookRequest {
        tour: "tour-1".into(),
        idempotency_key: key.into(),
        subject: "Ritz".into(),
        cents: 100,
        attempt: 1,
        decline: false,
    }
}

fn cancel(key: &str) -> CancelRequest {
    let BookRequest { tour, idempotency_key, subject, cents, attempt, .. } = book(key);
    CancelRequest { tour, idempotency_key, subject, cents, attempt }
}

/// Books one key after the other until the service is gone, and reports what was acknowledged.
async fn book_until_killed(
    client: BookingClient,
    caller: u32,
    acknowledged: mpsc::UnboundedSender<(String, BookingId)>,
) -> CallError {
    for number in 0.. {
        let key = format!("{caller}/{number}");
        match client.book(Kind::Hotel, &book(&key)).await {
            Ok(booking_id) => drop(acknowledged.send((key, booking_id))),
            Err(error) => return error,
        }
    }
    unreachable!("the numbers do not end")
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill_under_load() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let mut options = Options::new(dir.path());
    let service = ServiceProcess::spawn(program(), &options).await?;
    // The restarted service keeps its address, as a real one does.
    options.port = service.address().port();
    let client = BookingClient::new(service.address())?;

    let (sender, mut receiver) = mpsc::unbounded_channel();
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| tokio::spawn(book_until_killed(client.clone(), caller, sender.clone())))
        .collect();
    drop(sender);
    let mut acknowledged = Vec::new();
    while acknowledged.len() < 100 {
        acknowledged.push(receiver.recv().await.context("all callers failed before the kill")?);
    }
    service.kill().await?;
    for caller in callers {
        let error = caller.await?;
        assert!(matches!(error, CallError::Network(_)), "{error}");
    }
    while let Some(answer) = receiver.recv().await {
        acknowledged.push(answer);
    }

    let _service = ServiceProcess::spawn(program(), &options).await?;
    let bookings = client.books().await?.bookings;
    for (key, booking_id) in &acknowledged {
        let found: Vec<&Booking> =
            bookings.iter().filter(|booking| booking.idempotency_key == *key).collect();
        let ids: Vec<_> = found.iter().map(|booking| (booking.booking_id.as_ref(), booking.booked)).collect();
        assert_eq!(ids, [(Some(booking_id), 1)], "key {key}");
        assert_eq!(&client.book(Kind::Hotel, &book(key)).await?, booking_id);
    }
    // At most the calls in hand are there without an acknowledgement.
    assert!(bookings.len() <= acknowledged.len() + CALLERS as usize);
    Ok(())
}

#[tokio::test]
async fn a_reply_lost_before_a_kill_is_answered_after_it() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let options = Options { lose_reply: vec![Step::Card, Step::CancelCard], ..Options::new(dir.path()) };
    let service = ServiceProcess::spawn(program(), &options).await?;
    let client = BookingClient::new(service.address())?;
    let error = client.book(Kind::Card, &book("k")).await.unwrap_err();
    assert!(matches!(error, CallError::Network(_)), "{error}");
    service.kill().await?;

    let service = ServiceProcess::spawn(program(), &options).await?;
    let client = BookingClient::new(service.address())?;
    assert_eq!(client.book(Kind::Card, &book("k")).await?.as_str(), "card-1");
    let error = client.cancel(Kind::Card, &cancel("k")).await.unwrap_err();
    assert!(matches!(error, CallError::Network(_)), "{error}");
    service.kill().await?;

    let service = ServiceProcess::spawn(program(), &options).await?;
    let client = BookingClient::new(service.address())?;
    assert_eq!(client.cancel(Kind::Card, &cancel("k")).await?, Undone::Cancelled);
    assert_eq!(client.book(Kind::Card, &book("k")).await, Err(CallError::Barred));
    Ok(())
}

#[tokio::test]
async fn a_second_service_on_the_directory_does_not_start() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let options = Options::new(dir.path());
    let _first = ServiceProcess::spawn(program(), &options).await?;
    let error = ServiceProcess::spawn(program(), &options).await.unwrap_err();
    assert_eq!(error.to_string(), "the booking service did not start; it printed \"\"");
    Ok(())
}
