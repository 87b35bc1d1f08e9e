//! What a group will write, before any of it is written: whole transitions in batches of bounded size.
//!
//! **Invariants**: a transition is in one batch, alone if it is larger than a batch may be; a later transition reads
//! what an earlier one of the group staged; a transition that is abandoned leaves nothing.

use std::collections::{BTreeMap, HashMap};

use sled::IVec;
use steadfast_store::{Refusal, StoreError};

use crate::database::Database;
use crate::envelope::{self, FORMAT};
use crate::key::{Key, Table, chunk_key};
use crate::row::{self, Row};
use crate::value;

/// sled's memory grows without bound with batches of more than about a thousand keys.
pub(crate) const BATCH_KEYS_MAX: usize = 512;

type Changes = BTreeMap<IVec, Option<IVec>>;

/// Why something cannot be staged.
#[derive(Debug)]
pub(crate) enum Unstaged {
    /// Only this transition is refused.
    Refused(Refusal),
    /// The store itself fails.
    Failed(StoreError),
}

impl From<StoreError> for Unstaged {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// Changes that wait to be written.
pub(crate) struct Stage<'a> {
    database: &'a Database,
    /// Only looked up by key, never iterated.
    staged: HashMap<IVec, Option<IVec>>,
    batches: Vec<Changes>,
    /// The changes of the transition at hand.
    open: Changes,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(database: &'a Database) -> Self {
        Self { database, staged: HashMap::new(), batches: Vec::new(), open: Changes::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Keys put and deleted by what was closed so far; a key that changes twice in a batch is one.
    pub(crate) fn keys(&self) -> (u64, u64) {
        let values = || self.batches.iter().flat_map(BTreeMap::values);
        let puts = values().filter(|value| value.is_some()).count() as u64;
        (puts, values().count() as u64 - puts)
    }

    /// Reads a row as the group will leave it.
    pub(crate) fn get<R: Row>(&self, key: &Key) -> Result<Option<R>, Unstaged> {
        let Some(first) = self.first(key.bytes())? else { return Ok(None) };
        let opened = envelope::open(key.bytes(), R::TABLE.number(), R::VERSION, &first)
            .map_err(|damage| self.unreadable(R::TABLE, key, damage))?;
        if opened.chunks == 0 {
            return row::decode(opened.body).map(Some).map_err(|error| self.unreadable(R::TABLE, key, error));
        }
        let body = envelope::join(key.bytes(), &opened, |chunk| self.first(chunk))?
            .map_err(|damage| self.unreadable(R::TABLE, key, damage))?;
        row::decode(&body).map(Some).map_err(|error| self.unreadable(R::TABLE, key, error))
    }

    /// Writes a row, and removes chunks that only the row before it had.
    pub(crate) fn put<R: Row>(&mut self, key: &Key, row: &R) -> Result<(), Unstaged> {
        let too_large = Unstaged::Refused(Refusal::Inconsistent("a row is larger than a record may be"));
        let Ok(body) = row::encode(row) else { return Err(too_large) };
        let Some(values) = envelope::seal(key, R::VERSION, &body) else { return Err(too_large) };
        let kept = values.len();
        let before = self.chunks_before::<R>(key)?.unwrap_or(0);
        for (key, value) in values {
            self.open.insert(key.into(), Some(value.into()));
        }
        for index in 1..=before {
            if usize::from(index) >= kept {
                self.open.insert(chunk_key(key.bytes(), index).into(), None);
            }
        }
        Ok(())
    }

    /// Removes a row with its chunks, if it is there.
    pub(crate) fn delete<R: Row>(&mut self, key: &Key) -> Result<(), Unstaged> {
        let Some(chunks) = self.chunks_before::<R>(key)? else { return Ok(()) };
        self.open.insert(key.bytes().into(), None);
        for index in 1..=chunks {
            self.open.insert(chunk_key(key.bytes(), index).into(), None);
        }
        Ok(())
    }

    /// Ends the transition at hand: it will be written.
    pub(crate) fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        for (key, value) in &open {
            self.staged.insert(key.clone(), value.clone());
        }
        match self.batches.last_mut() {
            Some(batch) if batch.len() + open.len() <= BATCH_KEYS_MAX => batch.extend(open),
            _ => self.batches.push(open),
        }
    }

    /// Forgets the transition at hand.
    pub(crate) fn abandon(&mut self) {
        self.open.clear();
    }

    /// The batches, in the order in which they are to be applied.
    pub(crate) fn into_batches(self) -> impl Iterator<Item = sled::Batch> {
        self.batches.into_iter().map(|changes| {
            let mut batch = sled::Batch::default();
            for (key, value) in changes {
                match value {
                    Some(value) => batch.insert(key, value),
                    None => batch.remove(key),
                }
            }
            batch
        })
    }

    /// How many chunks the present row has; `None` if there is no row. Rows that are never cut are not looked at.
    fn chunks_before<R: Row>(&self, key: &Key) -> Result<Option<u16>, Unstaged> {
        if is_small(R::TABLE) {
            return Ok(Some(0));
        }
        let Some(first) = self.first(key.bytes())? else { return Ok(None) };
        value::chunks(key.bytes(), R::TABLE, R::VERSION, &first)
            .map(Some)
            .map_err(|damage| self.unreadable(R::TABLE, key, damage))
    }

    fn first(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        if let Some(value) = self.open.get(key).or_else(|| self.staged.get(key)) {
            return Ok(value.clone());
        }
        self.database.get(key)
    }

    fn unreadable(&self, table: Table, key: &Key, problem: impl std::fmt::Display) -> Unstaged {
        let error = value::corrupt(table, key.bytes(), problem);
        tracing::error!(format = FORMAT, "a transition is refused: {error}");
        Unstaged::Refused(Refusal::Unreadable { table: table.name() })
    }
}

/// Tables whose rows always fit one value, and new keys: there is nothing to look up before writing.
fn is_small(table: Table) -> bool {
    matches!(
        table,
        Table::Format
            | Table::Namespace
            | Table::Progress
            | Table::Shard
            | Table::History
            | Table::Current
            | Table::Due
            | Table::Listing
    )
}
