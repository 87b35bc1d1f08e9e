//! The service over HTTP, inside the test's process.

use std::net::SocketAddr;

use clap::ValueEnum;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{BookingClient, CallError};
use super::*;

mod refusals;

fn book(key: &str) -> BookRequest {
    BookRequest {
        tour: "tour-1".into(),
        idempotency_key: key.into(),
        subject: "ann".into(),
        cents: 700,
        attempt: 1,
        decline: false,
    }
}

fn cancel(key: &str) -> CancelRequest {
    let BookRequest { tour, idempotency_key, subject, cents, attempt, .. } = book(key);
    CancelRequest { tour, idempotency_key, subject, cents, attempt }
}

/// What the books hold after one booking that took effect.
fn booked(kind: Kind, key: &str, number: u64) -> Booking {
    Booking {
        kind,
        tour: "tour-1".into(),
        idempotency_key: key.into(),
        subject: "ann".into(),
        cents: 700,
        state: BookingState::Booked,
        booking_id: Some(BookingId::new(kind, number)),
        book_calls: 1,
        cancel_calls: 0,
        booked: 1,
        cancelled: 0,
        last_attempt: 1,
    }
}

async fn service(dir: &TempDir) -> anyhow::Result<(Running, BookingClient)> {
    service_with(Options::new(dir.path())).await
}

async fn service_with(options: Options) -> anyhow::Result<(Running, BookingClient)> {
    let running = start(options).await?;
    let client = BookingClient::new(running.address())?;
    Ok((running, client))
}

/// Sends bytes and gives all that comes back until the connection is closed.
async fn raw(address: SocketAddr, request: &str) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// The status and the body of a refused POST.
async fn post(address: SocketAddr, path: &str, body: &str) -> anyhow::Result<(String, String)> {
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    let answer = raw(address, &format!("{head}{body}")).await?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1).unwrap_or("");
    Ok((status.to_owned(), body.to_owned()))
}

#[tokio::test]
async fn a_repeated_booking_gets_the_first_answer() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    let first = client.book(Kind::Hotel, &book("k")).await?;
    let again = client.book(Kind::Hotel, &BookRequest { attempt: 2, ..book("k") }).await?;
    assert_eq!((first.as_str(), &again), ("hotel-1", &first));
    let booking = Booking { book_calls: 2, last_attempt: 2, ..booked(Kind::Hotel, "k", 1) };
    assert_eq!(client.books().await?, Books { bookings: vec![booking] });
    running.stop().await
}

#[tokio::test]
async fn a_cancel_is_repeatable_and_ends_the_key() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    client.book(Kind::Card, &book("k")).await?;
    assert_eq!(client.cancel(Kind::Card, &cancel("k")).await, Ok(Undone::Cancelled));
    assert_eq!(client.cancel(Kind::Card, &cancel("k")).await, Ok(Undone::Cancelled));
    assert_eq!(client.book(Kind::Card, &book("k")).await, Err(CallError::Barred));
    let booking = Booking {
        state: BookingState::Cancelled,
        book_calls: 2,
        cancel_calls: 2,
        cancelled: 1,
        ..booked(Kind::Card, "k", 1)
    };
    assert_eq!(client.books().await?, Books { bookings: vec![booking] });
    running.stop().await
}

#[tokio::test]
async fn a_cancel_before_the_booking_bars_it_also_after_a_restart() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    assert_eq!(client.cancel(Kind::Flight, &cancel("k")).await, Ok(Undone::Nothing));
    running.stop().await?;

    let (running, client) = service(&dir).await?;
    assert_eq!(client.book(Kind::Flight, &book("k")).await, Err(CallError::Barred));
    let booking = Booking {
        state: BookingState::Barred,
        booking_id: None,
        cancel_calls: 1,
        booked: 0,
        ..booked(Kind::Flight, "k", 1)
    };
    assert_eq!(client.books().await?, Books { bookings: vec![booking] });
    running.stop().await
}

#[tokio::test]
async fn a_booking_is_declined_by_request_or_by_option() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let options = Options { fail: Some(Kind::Card), ..Options::new(dir.path()) };
    let (running, client) = service_with(options).await?;
    let declined = BookRequest { decline: true, ..book("h") };
    assert_eq!(client.book(Kind::Hotel, &declined).await, Err(CallError::Declined));
    assert_eq!(client.book(Kind::Card, &book("c")).await, Err(CallError::Declined));
    assert!(client.book(Kind::Flight, &book("f")).await.is_ok());
    let none = |booking| Booking { state: BookingState::Declined, booking_id: None, booked: 0, ..booking };
    let bookings = vec![
        none(booked(Kind::Hotel, "h", 1)),
        none(booked(Kind::Card, "c", 2)),
        booked(Kind::Flight, "f", 3),
    ];
    assert_eq!(client.books().await?, Books { bookings });
    running.stop().await
}

#[tokio::test]
async fn a_lost_reply_leaves_the_effect_and_the_retry_learns_of_it() -> anyhow::Result<()> {
    for step in Step::ALL {
        let dir = TempDir::new()?;
        let options = Options { lose_reply: vec![step], ..Options::new(dir.path()) };
        let (running, client) = service_with(options).await?;
        let mut lost = Vec::new();
        for kind in Kind::ALL {
            if let Err(error) = client.book(kind, &book("k")).await {
                assert!(matches!(error, CallError::Network(_)), "{step}: {error}");
                lost.push(Step::of(kind, Action::Book));
                client.book(kind, &book("k")).await?;
            }
            if let Err(error) = client.cancel(kind, &cancel("k")).await {
                assert!(matches!(error, CallError::Network(_)), "{step}: {error}");
                lost.push(Step::of(kind, Action::Cancel));
                assert_eq!(client.cancel(kind, &cancel("k")).await, Ok(Undone::Cancelled));
            }
        }
        assert_eq!(lost, [step]);
        let counted: Vec<_> = client
            .books()
            .await?
            .bookings
            .iter()
            .map(|b| (b.kind, b.book_calls, b.cancel_calls, b.booked, b.cancelled))
            .collect();
        let calls = |kind, action| if Step::of(kind, action) == step { 2 } else { 1 };
        let expected =
            Kind::ALL.map(|kind| (kind, calls(kind, Action::Book), calls(kind, Action::Cancel), 1, 1));
        assert_eq!(counted, expected);
        running.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_lost_reply_is_not_one_byte_long() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let options = Options { lose_reply: vec![Step::Hotel], ..Options::new(dir.path()) };
    let (running, _) = service_with(options).await?;
    let body = serde_json::to_string(&book("k"))?;
    let nothing = (String::new(), String::new());
    assert_eq!(post(running.address(), "/hotel/book", &body).await?, nothing);
    let answer = ("200".to_owned(), r#"{"booking_id":"hotel-1"}"#.to_owned());
    assert_eq!(post(running.address(), "/hotel/book", &body).await?, answer);
    running.stop().await
}

#[test]
fn options_take_the_exported_names() {
    let steps: Vec<_> = STEP_NAMES.iter().map(|name| Step::from_str(name, false)).collect();
    assert_eq!(steps, Step::ALL.map(Ok));
    let kinds: Vec<_> = KIND_NAMES.iter().map(|name| Kind::from_str(name, false)).collect();
    assert_eq!(kinds, Kind::ALL.map(Ok));
    assert_eq!(Step::from_str("refund", false), Ok(Step::CancelCard));
}
