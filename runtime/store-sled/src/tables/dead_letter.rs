//! Dead letters.

use steadfast_core::{EventId, RunId, ShardId};
use steadfast_store::{DeadLetterPage, DeadLetterRow, DeadLetters, StoreError};

use crate::key::{Key, Table};
use crate::store::SledStore;
use crate::value;

impl DeadLetters for SledStore {
    fn dead_letters(
        &self,
        after: Option<(ShardId, RunId, EventId)>,
        limit: usize,
    ) -> Result<DeadLetterPage, StoreError> {
        let all = Key::new(Table::DeadLetter, self.number);
        let key = after
            .map(|(shard, run, scheduled)| self.run_key(Table::DeadLetter, shard, run).number(scheduled.0));
        let start = value::from(&all, key.as_ref());
        let read = value::scan::<DeadLetterRow>(self.database()?, &all, start, limit.saturating_add(1))?;
        let more = read.len() > limit;
        let rows: Vec<_> = read.into_iter().take(limit).map(|(_, row)| row).collect();
        let last = rows.last().map(|row| (row.shard, row.run_id, row.scheduled));
        Ok(DeadLetterPage { next: if more { last.or(after) } else { None }, rows })
    }

    fn dead_letter(
        &self,
        shard: ShardId,
        run: RunId,
        scheduled: EventId,
    ) -> Result<Option<DeadLetterRow>, StoreError> {
        let key = self.run_key(Table::DeadLetter, shard, run).number(scheduled.0);
        value::get(self.database()?, &key)
    }
}
