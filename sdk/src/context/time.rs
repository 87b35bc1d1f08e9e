//! Durable time: it outlives the process, and is the same at every replay.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use steadfast_core::Timestamp;
use steadfast_core::exec::{Outcome, RunContext};

use super::WorkflowContext;
use crate::error::Cancelled;
use crate::pending::Pending;

impl WorkflowContext {
    /// The time of the present activation. It stands still while the code runs, and never goes back.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.run.now()
    }

    /// Waits. The time runs from here on, not from the first poll, and goes on while no process runs.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] when the scope is cancelled; `?` makes a [`WorkflowError`](crate::WorkflowError) of it.
    #[track_caller]
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.timer(self.now().after(duration), false, Location::caller())
    }

    /// Waits until a point in time. It follows the wall clock: if the clock is set, the wait follows.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] when the scope is cancelled.
    #[track_caller]
    pub fn sleep_until(&self, due: Timestamp) -> Sleep {
        self.timer(due, true, Location::caller())
    }

    fn timer(
        &self,
        due: Timestamp,
        follows_wall_clock: bool,
        call_site: &'static Location<'static>,
    ) -> Sleep {
        let timer = Timer { due, follows_wall_clock, call_site };
        Sleep { run: Rc::clone(&self.run), due, pending: Pending::New(timer) }
    }
}

struct Timer {
    due: Timestamp,
    follows_wall_clock: bool,
    call_site: &'static Location<'static>,
}

/// A durable wait. Made by [`WorkflowContext::sleep`] and [`WorkflowContext::sleep_until`]; dropping it unfinished
/// cancels the timer. `Unpin`, so that a deadline can be polled by reference in a loop.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn poll_once() -> Result<bool, AnyFailure> { Ok(true) }
/// # async fn w(ctx: WorkflowContext) -> Result<bool, WorkflowError> {
/// let mut deadline = ctx.sleep(hours(1));
/// loop {
///     if poll_once(&ctx).await? {
///         break Ok(true);
///     }
///     select! {
///         _ = ctx.sleep(minutes(5)) => {}
///         over = &mut deadline => {
///             over?;
///             break Ok(false);
///         }
///     }
/// }
/// # }
/// ```
#[must_use = "a sleep does nothing until it is awaited"]
pub struct Sleep {
    run: Rc<RunContext>,
    due: Timestamp,
    pending: Pending<Timer>,
}

impl Sleep {
    /// When it is over.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        self.due
    }
}

impl Future for Sleep {
    type Output = Result<(), Cancelled>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let run = &me.run;
        let start = |timer: Timer| run.start_timer(timer.due, timer.follows_wall_clock, timer.call_site);
        me.pending.poll(cx, start).map(|(outcome, _)| match outcome {
            Outcome::Fired | Outcome::Completed(_) => Ok(()),
            Outcome::Failed(_) => Err(Cancelled),
        })
    }
}

impl std::fmt::Debug for Sleep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sleep").field("due", &self.due).finish_non_exhaustive()
    }
}
