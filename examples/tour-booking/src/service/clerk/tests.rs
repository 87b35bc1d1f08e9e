use std::fs::File;

use tempfile::TempDir;

use super::super::booking::BookingId;
use super::super::ledger::FILE_NAME;
use super::super::register::Outcome;
use super::super::step::{Action, Kind};
use super::*;

fn call(key: &str) -> Call {
    Call {
        action: Action::Book,
        kind: Kind::Flight,
        tour: "tour-1".into(),
        idempotency_key: key.into(),
        subject: "LH 1".into(),
        cents: 900,
        attempt: 1,
        decline: false,
    }
}

#[tokio::test]
async fn concurrent_calls_of_one_key_have_one_effect() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (ledger, register) = Ledger::open(dir.path())?;
    let (handle, clerk) = start(ledger, register);
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.call(call("k")).await })
        })
        .collect();
    let mut outcomes = Vec::new();
    for call in calls {
        let answer = call.await??;
        assert_eq!(answer.booking_id, Some(BookingId::new(Kind::Flight, 1)));
        outcomes.push(answer.outcome);
    }
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Outcome::Booked).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Outcome::BookedAlready).count(), 99);

    let books = handle.books().await?;
    drop(handle);
    clerk.await??;
    assert_eq!(Ledger::open(dir.path())?.1.books(), books);
    Ok(())
}

#[tokio::test]
async fn a_disk_that_refuses_ends_the_clerk_without_an_answer() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let (mut ledger, register) = Ledger::open(dir.path())?;
    ledger.replace_file(File::open(dir.path().join(FILE_NAME))?);
    let (handle, clerk) = start(ledger, register);
    assert_eq!(handle.call(call("k")).await, Err(ClerkError::Gone));
    let error = clerk.await?.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write ledger {}", dir.path().join(FILE_NAME).display()));
    assert_eq!(handle.books().await, Err(ClerkError::Gone));
    Ok(())
}
