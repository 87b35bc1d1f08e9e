//! The closing event that follows from what the main function returned.

use super::cell::RunCell;
use crate::error::WorkflowError;
use crate::history::{
    CancelCause, ClosedBy, Compensation, EventKind, WorkflowCancelled, WorkflowCompleted, WorkflowFailed,
    WorkflowTimedOut,
};
use crate::payload::Payload;

impl RunCell {
    /// What became of the sagas so far.
    pub(crate) fn compensation(&self) -> Compensation {
        let failed = self.sagas.failed.borrow();
        if !failed.is_empty() {
            Compensation::Failed(failed.clone())
        } else if self.sagas.undone.get() > 0 {
            Compensation::Compensated
        } else {
            Compensation::None
        }
    }

    pub(crate) fn closing_event(&self, result: Result<Payload, WorkflowError>) -> EventKind {
        let compensation = self.compensation();
        let by = ClosedBy::Code;
        let limit = self.info().limits.payload_bytes_max;
        let checked = result.and_then(|output| {
            let what = || format!("result of workflow `{}`", self.info().workflow_type);
            output.check_size(limit, what).map_err(WorkflowError::TooLarge)?;
            Ok(output)
        });
        let error = match checked {
            Ok(output) => return WorkflowCompleted { output, compensation }.into(),
            Err(error) => error,
        };
        // An end imposed by the engine decides, unless unwinding had begun for another reason before.
        if let Some((cause, false)) = &*self.imposed.borrow() {
            return match cause {
                CancelCause::RunTimeout | CancelCause::ExecutionTimeout => {
                    WorkflowTimedOut { cause: cause.clone(), by, compensation }.into()
                }
                CancelCause::HistoryLimit(limit) => {
                    let error = WorkflowError::HistoryLimit(*limit);
                    WorkflowFailed { error, by, compensation }.into()
                }
                CancelCause::User { .. } => WorkflowCancelled { compensation }.into(),
            };
        }
        let undone = !matches!(compensation, Compensation::Failed(_));
        if error.is_cancelled() && self.cancelled_by_user.get() && undone {
            return WorkflowCancelled { compensation }.into();
        }
        WorkflowFailed { error, by, compensation }.into()
    }
}
