//! What attempts say of the services that they call, and orders of operators to circuit breakers.

use steadfast_core::machine::Task;
use steadfast_core::{BreakerState, ID_BYTES_MAX, Verdict};
use steadfast_store::Write;

use super::machine::Shard;
use super::run::LiveRun;
use super::work::Work;
use crate::activity::AttemptKey;
use crate::client::{ActivityState, BreakerRequest, OpenActivity};
use crate::dispatch::{BreakerId, Changed, Ordered};
use crate::error::BreakerError;
use crate::message::{Answer, Effect, Reply};

impl Shard {
    /// Lets through what circuit breakers held back until now.
    pub(super) fn try_breakers(&mut self) {
        if self.shared.next_trial().is_some_and(|at| at <= self.now()) {
            let offers = self.shared.dispatcher().try_breakers(self.now());
            self.out.offers.extend(offers);
        }
    }

    /// An attempt is over: its breaker is told, and what that comes to is part of the same transition.
    pub(super) fn tell_breaker(&mut self, work: &mut Work, key: AttemptKey) {
        let slot = self.attempts.get_mut(&key).and_then(|entry| entry.slot.as_mut());
        let Some(permit) = slot.and_then(|slot| slot.permit.take()) else { return };
        let verdict = work.run.task(key.item).map_or(Verdict::Neither, |task| verdict(task, key.attempt));
        let changed = self.shared.dispatcher().ended(&permit, verdict, self.now());
        work.writes.extend(changed.row.clone().map(Write::PutBreaker));
        self.follow_breaker(permit.breaker(), changed);
    }

    /// An operator closes or opens a circuit breaker.
    pub(super) fn order_breaker(&mut self, request: BreakerRequest, reply: Reply<(), BreakerError>) {
        let BreakerRequest { activity, key, order, who } = request;
        if who.trim().is_empty() || who.len() > ID_BYTES_MAX {
            drop(reply.send(Err(BreakerError::Nameless)));
            return;
        }
        let id = BreakerId { activity, key: key.into() };
        let changed = self.shared.dispatcher().order(&id, Ordered { at: self.now(), who, order });
        let writes = changed.row.clone().map(Write::PutBreaker).into_iter().collect();
        self.submit_rows(writes, vec![Effect::Answer(Answer::new(reply, Ok(())))]);
        self.follow_breaker(&id, changed);
    }

    /// Tells of activities that their breakers hold back.
    pub(super) fn show_breakers(&self, run: &LiveRun, activities: &mut [OpenActivity]) {
        for activity in activities.iter_mut().filter(|open| open.state == ActivityState::Pending) {
            let task = self.task_ref(run, activity.scheduled);
            if let Some(until) = self.shared.dispatcher().kept_until(&task) {
                (activity.state, activity.next_attempt_at) = (ActivityState::CircuitOpen, until);
            }
        }
    }

    fn follow_breaker(&mut self, id: &BreakerId, changed: Changed) {
        let BreakerId { activity, key } = id;
        match changed.state {
            Some(BreakerState::Open { until }) => {
                tracing::warn!(%activity, key = &**key, ?until, "a circuit breaker opened");
            }
            Some(BreakerState::Closed { .. }) => {
                tracing::info!(%activity, key = &**key, "a circuit breaker closed");
            }
            Some(BreakerState::HalfOpen { .. }) | None => {}
        }
        self.out.offers.extend(changed.offers);
    }
}

/// What an attempt of a task says of the service, after the task took its end in. What comes after a cancel was asked
/// for says nothing, unless it is a success.
fn verdict(task: &Task, attempt: u32) -> Verdict {
    match task.failures.last().filter(|failure| failure.attempt == attempt) {
        None => Verdict::Success,
        Some(_) if task.cancel_requested.is_some() => Verdict::Neither,
        Some(failure) => {
            let is_retryable = failure.error.is_retryable(task.options.retry.non_retryable_names());
            Verdict::of(&failure.error, is_retryable)
        }
    }
}
