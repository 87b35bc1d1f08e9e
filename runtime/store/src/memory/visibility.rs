//! Lists of runs.

use std::cmp::Reverse;
use std::ops::Bound;

use super::store::MemoryStore;
use crate::contract::{ListFilter, ListPage, ListPosition, StoreError, Visibility};

impl Visibility for MemoryStore {
    fn list(
        &self,
        filter: &ListFilter,
        after: Option<ListPosition>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let start = after.map_or(Bound::Unbounded, |position| {
            Bound::Excluded(Reverse((position.started_at, position.run_id)))
        });
        Ok(self.in_space(|space, _| {
            let rows = space.listings.range((start, Bound::Unbounded)).map(|(_, row)| row);
            let mut rows: Vec<_> =
                rows.filter(|row| filter.matches(row)).take(limit.saturating_add(1)).cloned().collect();
            let more = rows.len() > limit;
            rows.truncate(limit);
            let last = rows.last().map(|row| ListPosition { started_at: row.started_at, run_id: row.run_id });
            ListPage { next: if more { last.or(after) } else { None }, rows }
        }))
    }
}
