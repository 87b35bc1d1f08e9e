//! What can be booked, and the steps of a tour by name.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What is booked. Each kind has its own idempotency keys, as three separate companies would.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A room; the subject is the hotel's name.
    Hotel,
    /// A seat; the subject is the flight's number.
    Flight,
    /// A charge; the subject is the user who pays.
    Card,
}

impl Kind {
    /// Every kind, in the order in which a tour books them.
    pub const ALL: [Self; 3] = [Self::Hotel, Self::Flight, Self::Card];

    /// The name in URLs, options and the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hotel => "hotel",
            Self::Flight => "flight",
            Self::Card => "card",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The forward call.
    Book,
    /// Its undo.
    Cancel,
}

/// A step of a tour or its undo, as `--lose-reply` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Step {
    /// Booking the hotel.
    Hotel,
    /// Booking the flight.
    Flight,
    /// Charging the card.
    Card,
    /// Cancelling the hotel.
    CancelHotel,
    /// Cancelling the flight.
    CancelFlight,
    /// Refunding the card.
    #[value(alias = "refund")]
    CancelCard,
}

impl Step {
    /// Every step: the forward ones in the order of a tour, then their undos.
    pub const ALL: [Self; 6] =
        [Self::Hotel, Self::Flight, Self::Card, Self::CancelHotel, Self::CancelFlight, Self::CancelCard];

    /// The step that a call of this kind and action is.
    #[must_use]
    pub const fn of(kind: Kind, action: Action) -> Self {
        match (action, kind) {
            (Action::Book, Kind::Hotel) => Self::Hotel,
            (Action::Book, Kind::Flight) => Self::Flight,
            (Action::Book, Kind::Card) => Self::Card,
            (Action::Cancel, Kind::Hotel) => Self::CancelHotel,
            (Action::Cancel, Kind::Flight) => Self::CancelFlight,
            (Action::Cancel, Kind::Card) => Self::CancelCard,
        }
    }

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hotel => "hotel",
            Self::Flight => "flight",
            Self::Card => "card",
            Self::CancelHotel => "cancel-hotel",
            Self::CancelFlight => "cancel-flight",
            Self::CancelCard => "cancel-card",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The values that `--fail` takes: the steps that can be declined.
pub const KIND_NAMES: [&str; 3] = [Kind::Hotel.name(), Kind::Flight.name(), Kind::Card.name()];

/// The values that `--lose-reply` takes.
pub const STEP_NAMES: [&str; 6] = [
    Step::Hotel.name(),
    Step::Flight.name(),
    Step::Card.name(),
    Step::CancelHotel.name(),
    Step::CancelFlight.name(),
    Step::CancelCard.name(),
];
