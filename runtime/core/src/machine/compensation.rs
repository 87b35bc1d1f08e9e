//! What a history may say of the unwinding of one saga.

use super::IllegalEvent;
use crate::history::EventKind;

/// Where the unwinding of a saga stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompensationState {
    /// Undos run.
    Started,
    /// All undos that were needed have run.
    Finished,
}

impl CompensationState {
    /// The state after `event`, which concerns this saga.
    ///
    /// # Errors
    ///
    /// [`IllegalEvent`] if the event does not fit.
    pub fn apply(self, event: &EventKind) -> Result<Self, IllegalEvent> {
        match (self, event) {
            (Self::Started, EventKind::CompensationFinished(_)) => Ok(Self::Finished),
            (state, event) => Err(IllegalEvent {
                machine: "compensation",
                state: format!("{state:?}"),
                event: event.name(),
            }),
        }
    }
}
