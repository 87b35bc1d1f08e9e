//! Circuit breakers.

use steadfast_core::ActivityName;
use steadfast_store::{BreakerPage, BreakerRow, Breakers, StoreError};

use crate::key::{Key, Table};
use crate::stage::{Stage, Unstaged};
use crate::store::SledStore;
use crate::value;

impl SledStore {
    fn breaker_key(&self, activity: &ActivityName, key: &str) -> Key {
        Key::new(Table::Breaker, self.number).text(activity.as_str()).text(key)
    }

    pub(crate) fn stage_breaker(&self, stage: &mut Stage<'_>, row: &BreakerRow) -> Result<(), Unstaged> {
        let key = self.breaker_key(&row.activity, &row.key);
        let known: Option<BreakerRow> = stage.get(&key)?;
        if known.is_some_and(|known| known.version >= row.version) {
            return Ok(());
        }
        stage.put(&key, row)
    }
}

impl Breakers for SledStore {
    fn breakers(
        &self,
        after: Option<&(ActivityName, String)>,
        limit: usize,
    ) -> Result<BreakerPage, StoreError> {
        let all = Key::new(Table::Breaker, self.number);
        let key = after.map(|(activity, key)| self.breaker_key(activity, key));
        let start = value::from(&all, key.as_ref());
        let read = value::scan::<BreakerRow>(self.database()?, &all, start, limit.saturating_add(1))?;
        let more = read.len() > limit;
        let rows: Vec<_> = read.into_iter().take(limit).map(|(_, row)| row).collect();
        let last = rows.last().map(|row| (row.activity.clone(), row.key.clone()));
        Ok(BreakerPage { next: if more { last.or(after.cloned()) } else { None }, rows })
    }
}
