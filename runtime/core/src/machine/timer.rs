//! What a history may say of one timer.

use super::IllegalEvent;
use crate::history::EventKind;

/// Where a timer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerState {
    /// It runs.
    Started,
    /// Its time came.
    Fired,
    /// It was no longer needed.
    Cancelled,
}

impl TimerState {
    /// The state after `event`, which concerns this timer.
    ///
    /// # Errors
    ///
    /// [`IllegalEvent`] if the event does not fit.
    pub fn apply(self, event: &EventKind) -> Result<Self, IllegalEvent> {
        match (self, event) {
            (Self::Started, EventKind::TimerFired(_)) => Ok(Self::Fired),
            (Self::Started, EventKind::TimerCancelled(_)) => Ok(Self::Cancelled),
            (state, event) => {
                Err(IllegalEvent { machine: "timer", state: format!("{state:?}"), event: event.name() })
            }
        }
    }
}
