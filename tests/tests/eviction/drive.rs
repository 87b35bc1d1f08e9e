//! Running a workflow to its end, moving the clock only when nothing else can happen.

use steadfast::{ActivityState, OpenActivity, RunDescription, Timestamp};
use steadfast_tests::kit::{Bed, TestResult, eventually};

/// Whether a body will end, or begin, by itself.
fn is_busy(open: &OpenActivity) -> bool {
    let lasts = open.name == "stall" && !open.is_cancel_requested;
    open.state == ActivityState::Pending || (open.state == ActivityState::Running && !lasts)
}

/// When something happens by time alone.
fn next(run: &RunDescription) -> Option<Timestamp> {
    let timers = run.timers.iter().map(|timer| timer.due);
    timers.chain(run.activities.iter().filter_map(|open| open.next_attempt_at.or(open.deadline))).min()
}

/// Moves the clock from one thing that happens to the next until the run has ended; cancels it at its first
/// standstill if that is asked for.
pub(crate) async fn drive(bed: &Bed, id: &str, cancel: bool) -> TestResult {
    let run = bed.client().handle(id);
    let mut to_cancel = cancel;
    eventually("it ends", async || {
        let seen = run.describe().await?;
        if seen.closed_at.is_some() {
            return Ok(true);
        }
        if seen.activities.iter().any(is_busy) {
            return Ok(false);
        }
        if to_cancel {
            to_cancel = false;
            run.cancel().reason("enough").request_id("cancel").await?;
            return Ok(false);
        }
        // What is due already is on its way.
        if let Some(at) = next(&seen).filter(|at| *at > bed.now()) {
            bed.advance_to(at);
        }
        Ok(false)
    })
    .await
}

/// Prints a figure, for people; it is shown with `--nocapture`.
#[expect(clippy::print_stdout, reason = "figures are printed, and never asserted on as text")]
pub(crate) fn show(line: impl std::fmt::Display) {
    println!("{line}");
}
