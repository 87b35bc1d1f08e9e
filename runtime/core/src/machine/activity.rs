//! What a history may say of one activity.

use super::IllegalEvent;
use crate::history::EventKind;

/// Where an activity stands, as far as its history tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityState {
    /// It is to be run, or runs.
    Scheduled,
    /// It was asked to end.
    CancelRequested,
    /// An attempt succeeded, also after it was asked to end.
    Completed,
    /// It was given up after a failure.
    Failed,
    /// It was given up after a timeout.
    TimedOut,
    /// It ended because it was asked to.
    Cancelled,
}

impl ActivityState {
    /// The state after `event`, which concerns this activity.
    ///
    /// # Errors
    ///
    /// [`IllegalEvent`] if the event does not fit: a second end, say, or a failure after it was asked to end.
    pub fn apply(self, event: &EventKind) -> Result<Self, IllegalEvent> {
        match (self, event) {
            (Self::Scheduled, EventKind::ActivityCancelRequested(_)) => Ok(Self::CancelRequested),
            (Self::Scheduled | Self::CancelRequested, EventKind::ActivityCompleted(_)) => Ok(Self::Completed),
            (Self::Scheduled, EventKind::ActivityFailed(_)) => Ok(Self::Failed),
            (Self::Scheduled, EventKind::ActivityTimedOut(_)) => Ok(Self::TimedOut),
            (Self::CancelRequested, EventKind::ActivityCancelled(_)) => Ok(Self::Cancelled),
            (state, event) => {
                Err(IllegalEvent { machine: "activity", state: format!("{state:?}"), event: event.name() })
            }
        }
    }

    /// Whether it can still change.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Scheduled | Self::CancelRequested)
    }
}
