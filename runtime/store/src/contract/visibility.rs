//! Lists of runs, newest first.

use serde::{Deserialize, Serialize};
use steadfast_core::{RunId, Timestamp, WorkflowId, WorkflowType};

use super::error::StoreError;
use super::status::RunStatus;

/// What a list shows of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListingRow {
    /// When it started: the list is sorted by this.
    pub started_at: Timestamp,
    /// The run.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The registered function.
    pub workflow_type: WorkflowType,
    /// The state.
    pub status: RunStatus,
    /// Whether an operator should look.
    pub needs_attention: bool,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
}

/// Which runs to list. What is empty or `None` does not restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only these states.
    pub statuses: Vec<RunStatus>,
    /// Only this function.
    pub workflow_type: Option<WorkflowType>,
    /// Only this workflow.
    pub workflow_id: Option<WorkflowId>,
    /// Only those that need attention.
    pub needs_attention: bool,
}

impl ListFilter {
    /// Whether a row passes.
    #[must_use]
    pub fn matches(&self, row: &ListingRow) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && self.workflow_type.as_ref().is_none_or(|wanted| *wanted == row.workflow_type)
            && self.workflow_id.as_ref().is_none_or(|wanted| *wanted == row.workflow_id)
            && (!self.needs_attention || row.needs_attention)
    }
}

/// Where a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListPosition {
    /// The start of the last row looked at.
    pub started_at: Timestamp,
    /// Its run.
    pub run_id: RunId,
}

/// Some rows, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// The rows that pass the filter.
    pub rows: Vec<ListingRow>,
    /// Where to go on; `None` if there is no more. May be given with fewer rows than asked for, or none.
    pub next: Option<ListPosition>,
}

/// Listing runs.
pub trait Visibility {
    /// Rows that pass `filter`, newest first, after `after`, at most `limit`. A row that was there throughout all
    /// pages is on exactly one of them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot answer or a row cannot be read: it is not skipped.
    fn list(
        &self,
        filter: &ListFilter,
        after: Option<ListPosition>,
        limit: usize,
    ) -> Result<ListPage, StoreError>;
}
