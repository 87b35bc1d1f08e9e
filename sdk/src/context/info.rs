//! What the run is.

use steadfast_core::exec::RunInfo;

use super::WorkflowContext;

impl WorkflowContext {
    /// What the run is: its ids, its queue, its limits. Pinned when it started, so the same at every replay.
    #[must_use]
    pub fn info(&self) -> &RunInfo {
        self.run.info()
    }

    /// How many events the history has so far.
    #[must_use]
    pub fn history_len(&self) -> u64 {
        self.run.history_len()
    }
}
