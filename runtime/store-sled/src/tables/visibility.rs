//! Lists of runs, in one key range for all shards, newest first.

use steadfast_core::{RunId, Timestamp};
use steadfast_store::{ListFilter, ListPage, ListPosition, ListingRow, StoreError, Visibility};

use crate::key::{Key, Table};
use crate::store::SledStore;
use crate::value;

/// How many rows one call looks at; what does not pass the filter costs time too.
const LOOKED_AT_MAX: usize = 4_096;
/// How many rows are read at a time.
const READ: usize = 256;

impl SledStore {
    pub(crate) fn listing_key(&self, started_at: Timestamp, run: RunId) -> Key {
        Key::new(Table::Listing, self.number).newest_first(started_at, run)
    }
}

impl Visibility for SledStore {
    fn list(
        &self,
        filter: &ListFilter,
        after: Option<ListPosition>,
        limit: usize,
    ) -> Result<ListPage, StoreError> {
        let all = Key::new(Table::Listing, self.number);
        let mut page = ListPage { rows: Vec::new(), next: after };
        for _ in 0..LOOKED_AT_MAX / READ {
            let position = page.next.map(|position| self.listing_key(position.started_at, position.run_id));
            let start = value::from(&all, position.as_ref());
            let read = value::scan::<ListingRow>(self.database()?, &all, start, READ)?;
            let more = read.len() == READ;
            for (_, row) in read {
                if page.rows.len() == limit {
                    return Ok(page);
                }
                page.next = Some(ListPosition { started_at: row.started_at, run_id: row.run_id });
                if filter.matches(&row) {
                    page.rows.push(row);
                }
            }
            if !more {
                page.next = None;
                break;
            }
        }
        Ok(page)
    }
}
