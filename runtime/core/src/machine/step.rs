//! What a history may say of one step.

use super::IllegalEvent;
use crate::history::EventKind;

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Its closure is to be run, or runs.
    Started,
    /// It has a value.
    Completed,
    /// It was given up.
    Failed,
}

impl StepState {
    /// The state after `event`, which concerns this step.
    ///
    /// # Errors
    ///
    /// [`IllegalEvent`] if the event does not fit.
    pub fn apply(self, event: &EventKind) -> Result<Self, IllegalEvent> {
        match (self, event) {
            (Self::Started, EventKind::StepCompleted(_)) => Ok(Self::Completed),
            (Self::Started, EventKind::StepFailed(_)) => Ok(Self::Failed),
            (state, event) => {
                Err(IllegalEvent { machine: "step", state: format!("{state:?}"), event: event.name() })
            }
        }
    }
}
