//! Random numbers that are the same at every replay.

use uuid::Uuid;

use super::WorkflowContext;

impl WorkflowContext {
    /// The next random number of the run, from its seed. Not for secrets: the seed stands in the history.
    #[must_use]
    pub fn random(&self) -> u64 {
        self.run.random_u64()
    }

    /// The next random UUID (version 4) of the run.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        self.run.uuid()
    }
}
