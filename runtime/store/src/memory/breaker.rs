//! Circuit breakers.

use std::ops::Bound;

use steadfast_core::ActivityName;

use super::space::Space;
use super::store::MemoryStore;
use crate::contract::{BreakerPage, BreakerRow, Breakers, StoreError};

impl Breakers for MemoryStore {
    fn breakers(
        &self,
        after: Option<&(ActivityName, String)>,
        limit: usize,
    ) -> Result<BreakerPage, StoreError> {
        let start = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.clone()));
        Ok(self.in_space(|space, _| {
            let rest = space.breakers.range((start, Bound::Unbounded));
            let mut rows: Vec<_> = rest.take(limit.saturating_add(1)).map(|(_, row)| row.clone()).collect();
            let more = rows.len() > limit;
            rows.truncate(limit);
            let last = rows.last().map(|row| (row.activity.clone(), row.key.clone()));
            BreakerPage { next: if more { last.or(after.cloned()) } else { None }, rows }
        }))
    }
}

impl Space {
    pub(super) fn put_breaker(&mut self, row: BreakerRow) {
        let key = (row.activity.clone(), row.key.clone());
        if self.breakers.get(&key).is_none_or(|known| known.version < row.version) {
            self.breakers.insert(key, row);
        }
    }
}
