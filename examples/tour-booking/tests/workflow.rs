//! The workflow in one process: the store is in memory, the service is a task.

use anyhow::{Context, bail};
use steadfast::{Engine, RunError};
use tempfile::TempDir;
use tour_booking::activities::{BookingError, Bookings};
use tour_booking::plan::Plan;
use tour_booking::service::books::{Summary, judge};
use tour_booking::service::client::BookingClient;
use tour_booking::service::{self, Options, Step};
use tour_booking::timeline;
use tour_booking::workflows::{FailAt, Tour, book_tour};

/// Two tours, the second of which should fail, and balanced books.
struct Ended {
    booked: Tour,
    failed: RunError,
    /// The history of the second tour.
    history: String,
    summary: Summary,
}

async fn two_tours(fail: FailAt, lose_reply: &[Step]) -> anyhow::Result<Ended> {
    let dir = TempDir::new()?;
    let options = Options { lose_reply: lose_reply.to_vec(), ..Options::new(dir.path()) };
    let running = service::start(options).await?;
    let client = BookingClient::new(running.address())?;
    let engine = Engine::open("memory:").await?;
    let plan = Plan::new(2, fail, "");
    let activities = Bookings::new(client.clone());
    engine.worker(&plan.queue).workflow(book_tour).activities(activities).start().await?;

    let mut ends = Vec::new();
    for tour in &plan.tours {
        let start = engine.client().start(book_tour, tour.request.clone());
        let handle = start.id(&tour.id).queue(&plan.queue).await?;
        ends.push((handle.result().await, handle.history().await?));
    }
    let books = client.books().await?;
    engine.shutdown().await;
    running.stop().await?;
    let summary = match judge(&books, &plan.expected()) {
        Ok(summary) => summary,
        Err(complaints) => bail!("{complaints:?} in {books:?}"),
    };
    let (failed, history) = ends.pop().context("a second tour")?;
    let (booked, _) = ends.pop().context("a first tour")?;
    let rows = timeline::rows(&history).into_iter().map(|row| {
        let attempts =
            row.failed.iter().map(|failed| format!("\n      {}: {}", failed.attempt, failed.error));
        let attempts: String = attempts.collect();
        // The line of the call is where the workflow's code has it.
        let text = row.text.split(" at workflows.rs").next().unwrap_or_default().to_owned();
        format!("{:>2} {} {text}{attempts}\n", row.id, row.event)
    });
    let failed = failed.err().context("the second tour is booked")?;
    Ok(Ended { booked: booked?, failed, history: rows.collect(), summary })
}

#[tokio::test]
async fn a_tour_is_booked_and_a_declined_one_is_undone() -> anyhow::Result<()> {
    for (fail, undone) in [(FailAt::Hotel, 0), (FailAt::Flight, 1), (FailAt::Card, 2)] {
        let Ended { booked, failed, summary, .. } = two_tours(fail, &[]).await?;
        assert_eq!(booked.flight.as_str(), "flight-2");
        assert_eq!(failed.downcast(), Some(BookingError::Declined), "{failed}");
        assert_eq!((summary.declined, summary.cancelled, summary.repeated_calls), (1, undone, 0));
    }
    Ok(())
}

#[tokio::test]
async fn a_traveller_who_withdraws_gets_everything_undone() -> anyhow::Result<()> {
    let Ended { failed, history, summary, .. } = two_tours(FailAt::AfterCard, &[]).await?;
    let error = failed.workflow_error().context("an error of the workflow")?;
    assert_eq!(error.to_string(), "the traveller withdraws");
    assert_eq!((summary.booked, summary.cancelled), (6, 3));
    let expected = r#" 1 WorkflowStarted book_tour
 2 ActivityScheduled book_hotel
 3 ActivityCompleted book_hotel = "hotel-4", attempt 1
 4 ActivityScheduled book_flight
 5 ActivityCompleted book_flight = "flight-5", attempt 1
 6 ActivityScheduled charge_card
 7 ActivityCompleted charge_card = "card-6", attempt 1
 8 CompensationStarted Error: the traveller withdraws
 9 ActivityScheduled refund undoes event 6
10 ActivityCompleted refund = "cancelled", attempt 1
11 ActivityScheduled cancel_flight undoes event 4
12 ActivityCompleted cancel_flight = "cancelled", attempt 1
13 ActivityScheduled cancel_hotel undoes event 2
14 ActivityCompleted cancel_hotel = "cancelled", attempt 1
15 CompensationFinished 3 undone
16 WorkflowFailed Error: the traveller withdraws; compensated
"#;
    assert_eq!(history, expected);
    Ok(())
}

#[tokio::test]
async fn every_lost_reply_is_asked_for_again_under_its_key() -> anyhow::Result<()> {
    let Ended { history, summary, .. } = two_tours(FailAt::AfterCard, &Step::ALL).await?;
    // Three forward calls in each tour, three undos in the second.
    assert_eq!(summary.repeated_calls, 9);
    assert_eq!((summary.booked, summary.cancelled), (6, 3));
    assert_eq!(history.matches("1: BookingError: no answer").count(), 6, "{history}");
    assert_eq!(history.matches(", attempt 2").count(), 6, "{history}");
    Ok(())
}

#[tokio::test]
async fn a_decline_that_is_lost_is_undone_to_be_safe() -> anyhow::Result<()> {
    let Ended { failed, summary, .. } = two_tours(FailAt::Card, &[Step::Card]).await?;
    assert_eq!(failed.downcast(), Some(BookingError::Declined), "{failed}");
    // What the first attempt did is unknown, so the charge has its undo too, which finds nothing and bars the key.
    assert_eq!((summary.cancelled, summary.barred), (2, 1));
    Ok(())
}
