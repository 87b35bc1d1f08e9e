//! Shows timelines and books.

use std::io;

use super::console::Console;
use super::outcome::Kill;
use crate::report::{Ended, FailedAttempt, Outcome, Tone, Unwound};
use crate::service::{Booking, BookingState, Books};

const RULE_WIDTH: usize = 112;

/// A finished history. `replayed` of its events were written by the worker that was killed.
pub(super) fn timeline(
    console: &Console,
    ended: &Ended,
    kill: Option<Kill>,
    replayed: u64,
) -> io::Result<()> {
    let Ended { tour, rows, .. } = ended;
    console.write("")?;
    let start = rows.first().map_or(0, |row| row.at);
    let kill = kill.filter(|_| replayed > 0);
    let is_all = replayed == rows.len() as u64;
    let legend = if kill.is_some() && !is_all { "; ↻ is what was replayed" } else { "" };
    console.write(&console.bold(&format!("The history of {tour}, {} events{legend}", rows.len())))?;
    for row in rows {
        for FailedAttempt { attempt, at, error } in &row.failed {
            let head = console.faint(&format!("      {:>9}", since(start, *at)));
            let text = console.paint(error, Tone::Bad);
            console.write(&format!("{head}  {:<20}  {text}", format!("  attempt {attempt} failed")))?;
        }
        let mark = if kill.is_some() && row.id <= replayed && !is_all { "↻" } else { " " };
        let head = console.faint(&format!("{mark} {:>3} {:>9}", row.id, since(start, row.at)));
        console.write(&format!("{head}  {:<20}  {}", row.event, console.paint(&row.text, row.tone)))?;
        if let Some(kill) = kill.filter(|_| row.id == replayed) {
            let goes_on = if is_all { "finds it closed" } else { "replays the events above and goes on" };
            boundary(console, kill, goes_on)?;
        }
    }
    console.write("")
}

fn since(start: u64, at: u64) -> String {
    let micros = at.saturating_sub(start);
    format!("{}.{:03} s", micros / 1_000_000, micros / 1_000 % 1_000)
}

fn boundary(console: &Console, kill: Kill, goes_on: &str) -> io::Result<()> {
    let Kill { commit, pid } = kill;
    let text =
        format!("── worker 1 (pid {pid}) killed with SIGKILL after commit {commit}; worker 2 {goes_on} ");
    let rule = "─".repeat(RULE_WIDTH.saturating_sub(text.chars().count()));
    console.write(&console.bold(&format!("{text}{rule}")))
}

/// How a tour ended, in words.
pub(super) fn outcome(outcome: &Outcome) -> (Tone, String) {
    match outcome {
        Outcome::Completed(tour) => {
            (Tone::Good, format!("booked: {}, {}, {}", tour.hotel, tour.flight, tour.payment))
        }
        Outcome::Failed { error, steps } => {
            let steps = match steps {
                Unwound::Nothing => "nothing had to be undone".to_owned(),
                Unwound::All => "every step is undone".to_owned(),
                Unwound::Not(why) => why.clone(),
            };
            (Tone::Undo, format!("failed: {error}; {steps}"))
        }
    }
}

/// The service's own records.
pub(super) fn books(console: &Console, books: &Books) -> io::Result<()> {
    console.write("")?;
    console.write(&console.bold("The books of the booking service"))?;
    let width = books.bookings.iter().map(|booking| booking.tour.len()).max().unwrap_or(0).max("tour".len());
    let head = format!(
        "  {:<width$}  {:<6}  {:<7}  {:>6}  {:<9}  {:>10}  {:>6}  {:>12}  {:>9}",
        "tour", "kind", "for", "cents", "state", "book calls", "booked", "cancel calls", "cancelled"
    );
    console.write(&console.faint(&head))?;
    for booking in &books.bookings {
        console.write(&entry(booking, width))?;
    }
    Ok(())
}

fn entry(booking: &Booking, width: usize) -> String {
    let state = match booking.state {
        BookingState::Booked => "booked",
        BookingState::Declined => "declined",
        BookingState::Cancelled => "cancelled",
        BookingState::Barred => "barred",
    };
    let Booking { tour, kind, subject, cents, book_calls, booked, cancel_calls, cancelled, .. } = booking;
    format!(
        "  {tour:<width$}  {:<6}  {subject:<7}  {cents:>6}  {state:<9}  {book_calls:>10}  {booked:>6}  \
         {cancel_calls:>12}  {cancelled:>9}",
        kind.name()
    )
}
