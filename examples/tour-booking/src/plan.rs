//! Which tours are asked for, and how each should end. Demonstration and worker make the same plan of the same options.

use std::fmt;

use crate::service::books::{Expected, Tour};
use crate::workflows::{FailAt, TourRequest};

const USERS: [&str; 4] = ["Ada", "Grace", "Edsger", "Barbara"];
const HOTELS: [&str; 3] = ["Ritz", "Savoy", "Adlon"];
const FLIGHTS: [&str; 5] = ["LH 400", "BA 117", "AF 22", "IB 3166", "OS 87"];

/// The tours of one demonstration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Where they wait to be worked on. One queue for each demonstration on a store: what an earlier one left there
    /// belongs to a booking service that is gone.
    pub queue: String,
    /// In the order in which they are booked.
    pub tours: Vec<PlannedTour>,
}

/// One tour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTour {
    /// The workflow id, which is also the tour's name in the service's books.
    pub id: String,
    /// What is asked for.
    pub request: TourRequest,
}

impl Plan {
    /// Tours that succeed and fail by turns. The label tells demonstrations on one store apart; empty if there is
    /// only one.
    #[must_use]
    pub fn new(count: u32, fail: FailAt, label: &str) -> Self {
        let suffix = if label.is_empty() { String::new() } else { format!("-{label}") };
        let tours = (1..=count)
            .map(|number| PlannedTour {
                id: format!("tour-{number}{suffix}"),
                request: request(number, fail),
            })
            .collect();
        Self { queue: format!("tours{suffix}"), tours }
    }

    /// What the judge of the books is told.
    #[must_use]
    pub fn expected(&self) -> Vec<Tour> {
        self.tours.iter().map(|tour| Tour { id: tour.id.clone(), expected: tour.expected() }).collect()
    }
}

impl PlannedTour {
    /// How it should end.
    #[must_use]
    pub fn expected(&self) -> Expected {
        if self.request.fail_at.is_none() { Expected::Completed } else { Expected::Compensated }
    }
}

impl fmt::Display for PlannedTour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TourRequest { user, hotel, flight, fail_at, .. } = &self.request;
        write!(f, "{hotel}, {flight}, paid by {user}")?;
        match fail_at {
            None => Ok(()),
            Some(FailAt::Hotel) => f.write_str("; the hotel will decline"),
            Some(FailAt::Flight) => f.write_str("; the airline will decline"),
            Some(FailAt::Card) => f.write_str("; the card will be declined"),
            Some(FailAt::AfterCard) => write!(f, "; then {user} will withdraw"),
        }
    }
}

fn request(number: u32, fail: FailAt) -> TourRequest {
    let turn = number as usize - 1;
    TourRequest {
        user: USERS[turn % USERS.len()].to_owned(),
        hotel: HOTELS[turn % HOTELS.len()].to_owned(),
        hotel_cents: 24_000 + 1_000 * u64::from(number),
        flight: FLIGHTS[turn % FLIGHTS.len()].to_owned(),
        flight_cents: 31_000 + 500 * u64::from(number),
        fail_at: number.is_multiple_of(2).then_some(fail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_tour_fails() {
        let plan = Plan::new(3, FailAt::Card, "");
        let tours: Vec<_> = plan.tours.iter().map(|tour| (tour.id.as_str(), tour.request.fail_at)).collect();
        assert_eq!(tours, [("tour-1", None), ("tour-2", Some(FailAt::Card)), ("tour-3", None)]);
        assert_eq!(plan.queue, "tours");
    }

    #[test]
    fn labelled_plans_share_no_name() {
        let (one, other) = (Plan::new(1, FailAt::Card, "a"), Plan::new(1, FailAt::Card, "b"));
        assert_ne!(one.queue, other.queue);
        assert_ne!(one.tours[0].id, other.tours[0].id);
    }
}
