//! How activities and steps end: as somebody said, once, and with the effect that follows from all their attempts.

use steadfast_core::history::{AttemptSummary, Event, EventKind};
use steadfast_core::limits::{ATTEMPT_FAILURES_MAX, ATTEMPT_TIMES_MAX};
use steadfast_core::{AttemptError, AttemptFailure, Effect, EventId, Payload, TimeoutKind};

use super::book::Books;
use super::run::RunBook;

/// An end, as its event says it.
struct End<'a> {
    item: EventId,
    output: Option<&'a Payload>,
    attempts: &'a AttemptSummary,
    /// Whether a dead letter has to be there.
    is_exhausted: bool,
}

fn end_of(kind: &EventKind) -> Option<End<'_>> {
    let end = |item, output, attempts, is_exhausted| Some(End { item, output, attempts, is_exhausted });
    if let EventKind::ActivityCompleted(e) = kind {
        end(e.scheduled, Some(&e.output), &e.attempts, false)
    } else if let EventKind::ActivityFailed(e) = kind {
        end(e.scheduled, None, &e.attempts, e.exhausted)
    } else if let EventKind::ActivityTimedOut(e) = kind {
        end(e.scheduled, None, &e.attempts, e.timeout != TimeoutKind::ScheduleToStart)
    } else if let EventKind::ActivityCancelled(e) = kind {
        end(e.scheduled, None, &e.attempts, false)
    } else if let EventKind::StepCompleted(e) = kind {
        end(e.started, Some(&e.output), &e.attempts, false)
    } else if let EventKind::StepFailed(e) = kind {
        end(e.started, None, &e.attempts, false)
    } else {
        None
    }
}

impl Books {
    pub(super) fn check_end(&self, run: &mut RunBook, event: &Event) -> Result<(), String> {
        let Some(End { item, output, attempts, is_exhausted }) = end_of(&event.kind) else { return Ok(()) };
        if !run.open.remove(&item) {
            return Err(format!("event {} ends {item}, which is not open", event.id));
        }
        let last = run.key(item, attempts.attempt);
        if attempts.attempt > 0 && !self.grants.contains_key(&last) {
            return Err(format!("{item} ends with attempt {}, which was never granted", attempts.attempt));
        }
        if let Some(output) = output
            && !self.has_reported(last, &Ok(output.clone()))
        {
            return Err(format!("the result of {item} is not what attempt {} came to", attempts.attempt));
        }
        if is_exhausted && !self.dead_letters.contains(&(run.id, item)) {
            return Err(format!("{item} was given up without a dead letter"));
        }
        check_summary(item, attempts, output.is_some())?;
        attempts.failures.iter().try_for_each(|failure| self.check_failure(run, item, attempts, failure))
    }

    /// Each failure is one that a body came to, or that follows from time or from a session's end.
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else it is, a body has to have said so")]
    fn check_failure(
        &self,
        run: &RunBook,
        item: EventId,
        attempts: &AttemptSummary,
        failure: &AttemptFailure,
    ) -> Result<(), String> {
        let key = run.key(item, failure.attempt);
        let Some(session) = self.grants.get(&key) else {
            return Err(format!("attempt {} of {item} failed and was never granted", failure.attempt));
        };
        match &failure.error {
            AttemptError::WorkerLost if !self.has_ended(*session) => {
                Err(format!("attempt {} of {item} is lost with session {session}, which lives", key.attempt))
            }
            // Either a body says so, or its grace has passed.
            AttemptError::WorkerLost | AttemptError::Cancelled => Ok(()),
            AttemptError::TimedOut(kind) => check_timeout(run, item, attempts, failure, *kind),
            error => (self.has_reported(key, &Err(error.clone())).then_some(()))
                .ok_or_else(|| format!("attempt {} of {item} did not fail with {error}", key.attempt)),
        }
    }
}

/// One failure for each attempt that did not succeed, and the effect that follows from them.
fn check_summary(item: EventId, attempts: &AttemptSummary, is_done: bool) -> Result<(), String> {
    let count = usize::try_from(attempts.attempt).unwrap_or(usize::MAX);
    let failed = count.saturating_sub(usize::from(is_done));
    let is_right = attempts.begun.len() == count.min(ATTEMPT_TIMES_MAX)
        && attempts.failures.len() == failed.min(ATTEMPT_FAILURES_MAX)
        && attempts.failures.is_sorted_by(|one, next| one.attempt < next.attempt);
    if !is_right {
        return Err(format!("the attempts of {item} do not add up: {attempts:?}"));
    }
    let effect = if is_done {
        Effect::Done
    } else if attempts.failures.iter().all(|failure| failure.error.says_nothing_happened()) {
        Effect::None
    } else {
        Effect::Unknown
    };
    // Older failures than those kept may have left the effect unknown.
    if attempts.effect == effect || (failed > ATTEMPT_FAILURES_MAX && attempts.effect == Effect::Unknown) {
        return Ok(());
    }
    Err(format!("the effect of {item} is {effect:?}, recorded is {:?}", attempts.effect))
}

/// A timeout does not pass early.
fn check_timeout(
    run: &RunBook,
    item: EventId,
    attempts: &AttemptSummary,
    failure: &AttemptFailure,
    kind: TimeoutKind,
) -> Result<(), String> {
    let Some((event, scheduled)) = run.scheduled(item) else { return Ok(()) };
    let options = &scheduled.options;
    let older = usize::try_from(attempts.attempt.saturating_sub(failure.attempt)).unwrap_or(usize::MAX);
    let begun = attempts.begun.iter().rev().nth(older);
    let (from, limit) = match kind {
        TimeoutKind::ScheduleToStart => (Some(&event.at), options.schedule_to_start),
        TimeoutKind::ScheduleToClose => (Some(&event.at), options.schedule_to_close),
        TimeoutKind::StartToClose => (begun, options.start_to_close),
        TimeoutKind::Heartbeat => (begun, options.heartbeat),
    };
    let Some(limit) = limit else { return Err(format!("{item} has no {kind} timeout, and it passed")) };
    match from {
        Some(from) if failure.at < from.after(limit) => {
            Err(format!("the {kind} timeout of {item} passed at {}, {limit:?} after {from}", failure.at))
        }
        Some(_) | None => Ok(()),
    }
}
