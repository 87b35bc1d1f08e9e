//! Calls that are wrong, and a service that is not there.

use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn a_wrong_call_is_refused_with_a_reason_and_not_stored() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    let long = serde_json::to_string(&BookRequest { subject: "x".repeat(1_001), ..book("k") })?;
    let keyless = serde_json::to_string(&book(""))?;
    let zeroth = serde_json::to_string(&BookRequest { attempt: 0, ..book("k") })?;
    let negative = serde_json::to_string(&book("k"))?.replace("700", "-1");
    let good = serde_json::to_string(&book("k"))?;
    let huge = " ".repeat(40_000);
    let cases = [
        (
            "/hotel/book",
            "{",
            "400",
            r#"{"code":"invalid","message":"the body is not a call: EOF while parsing an object at line 1 column 1"}"#,
        ),
        (
            "/hotel/cancel",
            "",
            "400",
            r#"{"code":"invalid","message":"the body is not a call: EOF while parsing a value at line 1 column 0"}"#,
        ),
        (
            "/hotel/cancel",
            &good,
            "400",
            r#"{"code":"invalid","message":"the body is not a call: unknown field `decline`, expected one of `tour`, `idempotency_key`, `subject`, `cents`, `attempt` at line 1 column 88"}"#,
        ),
        (
            "/card/book",
            &negative,
            "400",
            r#"{"code":"invalid","message":"the body is not a call: invalid value: integer `-1`, expected u64 at line 1 column 65"}"#,
        ),
        ("/hotel/book", &keyless, "400", r#"{"code":"invalid","message":"idempotency_key is empty"}"#),
        (
            "/hotel/book",
            &long,
            "400",
            r#"{"code":"invalid","message":"subject has 1001 bytes, at most 1000 are allowed"}"#,
        ),
        ("/hotel/book", &zeroth, "400", r#"{"code":"invalid","message":"attempt counts from 1"}"#),
        ("/hotel/book", &huge, "413", r#"{"code":"too_large","message":"the body has over 32768 bytes"}"#),
        (
            "/train/book",
            &good,
            "404",
            r#"{"code":"unknown","message":"no such path; there are /{hotel,flight,card}/{book,cancel} and /books"}"#,
        ),
        (
            "/books",
            &good,
            "405",
            r#"{"code":"unknown","message":"calls are made with POST, the books are read with GET"}"#,
        ),
    ];
    for (path, body, status, answer) in cases {
        let expected = (status.to_owned(), answer.to_owned());
        assert_eq!(post(running.address(), path, body).await?, expected);
    }
    assert_eq!(client.books().await?, Books::default());
    running.stop().await
}

#[tokio::test]
async fn fields_at_their_longest_are_taken() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    // Every byte of these is written as an escape of six.
    let text = "\u{1}".repeat(FIELD_BYTES_MAX);
    let request = BookRequest {
        tour: text.clone(),
        subject: text.clone(),
        cents: u64::MAX,
        attempt: u32::MAX,
        ..book(&text)
    };
    assert_eq!(client.book(Kind::Hotel, &request).await?.as_str(), "hotel-1");
    running.stop().await?;
    let (running, client) = service(&dir).await?;
    assert_eq!(client.book(Kind::Hotel, &request).await?.as_str(), "hotel-1");
    running.stop().await
}

#[tokio::test]
async fn a_key_used_for_another_booking_is_invalid() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (running, client) = service(&dir).await?;
    client.book(Kind::Card, &book("k")).await?;
    let other = BookRequest { cents: 701, ..book("k") };
    let message =
        "the idempotency key was used for another booking: tour \"tour-1\", subject \"ann\", 700 cents";
    assert_eq!(client.book(Kind::Card, &other).await, Err(CallError::Invalid(message.into())));
    assert_eq!(client.books().await?, Books { bookings: vec![booked(Kind::Card, "k", 1)] });
    running.stop().await
}

#[tokio::test]
async fn a_refused_connection_is_a_network_error() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    drop(listener);
    let error = BookingClient::new(address)?.book(Kind::Hotel, &book("k")).await.unwrap_err();
    assert!(matches!(error, CallError::Network(_)), "{error}");
    Ok(())
}
