//! What is learnt of the tours while their workers come and go.

use std::collections::BTreeMap;

use anyhow::bail;

use crate::plan::{Plan, PlannedTour};
use crate::report::{Ended, Found, Outcome, Unwound};
use crate::service::books::Expected;

/// A worker that was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kill {
    /// The commit after which it was killed.
    pub(super) commit: u64,
    pub(super) pid: u32,
}

/// All tours, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    ended: BTreeMap<String, Ended>,
    /// How many events of each tour the worker before had written when it was killed.
    found: BTreeMap<String, u64>,
}

impl Outcomes {
    /// A worker opened the store after another one was killed.
    pub(super) fn found(&mut self, found: Vec<Found>) {
        self.found = found.into_iter().map(|Found { tour, events }| (tour, events)).collect();
    }

    /// How many of a tour's events were there when the worker that went on opened the store.
    pub(super) fn events_found(&self, tour: &str) -> u64 {
        self.found.get(tour).copied().unwrap_or(0)
    }

    /// A tour ended. Says whether this is news: a worker that starts after a kill hears of everything again, and must
    /// hear the same.
    pub(super) fn ended(&mut self, ended: &Ended, plan: &Plan) -> anyhow::Result<bool> {
        if let Some(before) = self.ended.get(&ended.tour) {
            if before != ended {
                bail!("{} ended otherwise before the kill: {before:?}, then {ended:?}", ended.tour);
            }
            return Ok(false);
        }
        let Some(planned) = plan.tours.iter().find(|planned| planned.id == ended.tour) else {
            bail!("nobody asked for {:?}", ended.tour);
        };
        check(planned, &ended.outcome)?;
        self.ended.insert(ended.tour.clone(), ended.clone());
        Ok(true)
    }

    pub(super) fn has_ended(&self, tour: &str) -> bool {
        self.ended.contains_key(tour)
    }

    pub(super) fn all_ended(&self, plan: &Plan) -> bool {
        plan.tours.iter().all(|tour| self.has_ended(&tour.id))
    }
}

/// Every step of a tour that fails is undone, and it fails where it should.
fn check(planned: &PlannedTour, outcome: &Outcome) -> anyhow::Result<()> {
    let id = &planned.id;
    match (planned.expected(), outcome) {
        (Expected::Completed, Outcome::Completed(_)) => Ok(()),
        (Expected::Completed, Outcome::Failed { error, .. }) => {
            bail!("{id} should be booked, but failed: {error}")
        }
        (Expected::Compensated, Outcome::Completed(_)) => bail!("{id} should fail, but is booked"),
        (Expected::Compensated, Outcome::Failed { steps: Unwound::Not(why), .. }) => bail!("{id}: {why}"),
        (Expected::Compensated, Outcome::Failed { .. }) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::FailAt;

    fn ended(tour: &str, outcome: Outcome) -> Ended {
        Ended { tour: tour.to_owned(), outcome, rows: Vec::new() }
    }

    fn failed(steps: Unwound) -> Outcome {
        Outcome::Failed { error: "declined".to_owned(), steps }
    }

    #[test]
    fn an_end_is_news_once_and_must_stay_the_same() {
        let (plan, mut outcomes) = (Plan::new(2, FailAt::Card, ""), Outcomes::default());
        let end = ended("tour-2", failed(Unwound::All));
        assert!(outcomes.ended(&end, &plan).unwrap());
        assert!(!outcomes.ended(&end, &plan).unwrap());
        let other = ended("tour-2", failed(Unwound::Nothing));
        let error = outcomes.ended(&other, &plan).unwrap_err().to_string();
        assert!(error.starts_with("tour-2 ended otherwise before the kill"), "{error}");
        assert!(!outcomes.all_ended(&plan));
    }

    #[test]
    fn an_end_that_was_not_planned_is_an_error() {
        let (plan, mut outcomes) = (Plan::new(2, FailAt::Card, ""), Outcomes::default());
        for (end, complaint) in [
            (ended("tour-1", failed(Unwound::All)), "tour-1 should be booked, but failed: declined"),
            (ended("tour-2", failed(Unwound::Not("stuck".to_owned()))), "tour-2: stuck"),
            (ended("tour-3", failed(Unwound::All)), "nobody asked for \"tour-3\""),
        ] {
            assert_eq!(outcomes.ended(&end, &plan).unwrap_err().to_string(), complaint);
        }
    }
}
