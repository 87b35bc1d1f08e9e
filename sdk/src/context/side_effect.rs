//! Values that are computed once.

use std::panic::Location;

use steadfast_core::Payload;

use super::WorkflowContext;
use crate::data::Data;

impl WorkflowContext {
    /// A value that is computed once, recorded, and read from the history ever after: a setting, a version, a dice.
    ///
    /// The closure runs on the workflow's own thread, so it must not wait; what waits or can fail belongs in
    /// [`step`](Self::step) or an activity.
    ///
    /// ```no_run
    /// # use steadfast::prelude::*;
    /// # async fn w(ctx: WorkflowContext) {
    /// let fast = ctx.side_effect(|| std::env::var("FAST").is_ok());
    /// # let _ = fast; }
    /// ```
    ///
    /// # Panics
    ///
    /// If the value cannot be written or read back. The run is then blocked until fitting code is deployed.
    #[track_caller]
    pub fn side_effect<T: Data>(&self, value: impl FnOnce() -> T) -> T {
        let recorded = self.run.side_effect(Location::caller(), || written(&value()));
        T::from_payload(&recorded).unwrap_or_else(|error| fail("read back", &error.0))
    }
}

fn written<T: Data>(value: &T) -> Payload {
    value.to_payload().unwrap_or_else(|error| fail("written", &error.0))
}

fn fail(what: &str, message: &str) -> ! {
    #[expect(clippy::panic, reason = "documented: it blocks the run and says why")]
    {
        panic!("the value of a side effect cannot be {what}: {message}")
    }
}
