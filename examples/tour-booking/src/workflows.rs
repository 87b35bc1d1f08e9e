//! What must survive a crash: the booking of a tour.

use clap::ValueEnum;
use steadfast::prelude::*;

use crate::activities::Order;
use crate::activities::bookings::{book_flight, book_hotel, charge_card};
use crate::service::BookingId;

/// What a traveller wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TourRequest {
    /// Who travels and pays.
    pub user: String,
    /// The hotel's name.
    pub hotel: String,
    /// What the hotel costs.
    pub hotel_cents: u64,
    /// The flight's number.
    pub flight: String,
    /// What the flight costs.
    pub flight_cents: u64,
    /// Where the tour is to fail, for the demonstration.
    pub fail_at: Option<FailAt>,
}

/// Where a tour is made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FailAt {
    /// The hotel declines.
    Hotel,
    /// The airline declines.
    Flight,
    /// The bank declines the card.
    Card,
    /// Everything is booked and paid; then the traveller withdraws.
    AfterCard,
}

/// A booked tour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tour {
    /// The room.
    pub hotel: BookingId,
    /// The seat.
    pub flight: BookingId,
    /// The charge.
    pub payment: BookingId,
}

/// Books hotel, flight and payment, or nothing.
///
/// An error anywhere undoes what was booked before, newest first; a kill anywhere is followed by going on from there.
///
/// # Errors
///
/// The error that ended it: an activity's that is final, or the traveller's withdrawal.
#[workflow]
pub async fn book_tour(ctx: WorkflowContext, request: TourRequest) -> Result<Tour, WorkflowError> {
    ctx.saga(async |saga| {
        let hotel = book_hotel(saga, request.hotel_order()).await?;
        let flight = book_flight(saga, request.flight_order()).await?;
        let payment = charge_card(saga, request.payment()).schedule_to_close(minutes(1)).await?;
        if request.fail_at == Some(FailAt::AfterCard) {
            return Err(WorkflowError::fail("the traveller withdraws"));
        }
        Ok(Tour { hotel, flight, payment })
    })
    .await
}

impl TourRequest {
    fn hotel_order(&self) -> Order {
        self.order(&self.hotel, self.hotel_cents, FailAt::Hotel)
    }

    fn flight_order(&self) -> Order {
        self.order(&self.flight, self.flight_cents, FailAt::Flight)
    }

    fn payment(&self) -> Order {
        self.order(&self.user, self.hotel_cents + self.flight_cents, FailAt::Card)
    }

    fn order(&self, subject: &str, cents: u64, step: FailAt) -> Order {
        Order { subject: subject.to_owned(), cents, decline: self.fail_at == Some(step) }
    }
}
