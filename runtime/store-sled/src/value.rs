//! Reading rows: out of the envelope, joined from chunks, decoded, checked. What cannot be read is an error with its
//! table and key.

use std::ops::Bound;

use sled::IVec;
use steadfast_store::StoreError;

use crate::database::Database;
use crate::envelope::{self, Damage};
use crate::key::{Key, Table, place};
use crate::row::{self, Row};

/// The row under a key.
pub(crate) fn get<R: Row>(database: &Database, key: &Key) -> Result<Option<R>, StoreError> {
    let Some(first) = database.get(key.bytes())? else { return Ok(None) };
    finish(database, key.bytes(), first)
}

/// Rows with their keys from `start` on to the end of `within`, at most `limit`.
pub(crate) fn scan<R: Row>(
    database: &Database,
    within: &Key,
    start: Bound<&[u8]>,
    limit: usize,
) -> Result<Vec<(IVec, R)>, StoreError> {
    let mut rows = Vec::new();
    for (key, first) in database.scan(start, &within.end(), limit)? {
        if let Some(row) = finish(database, &key, first)? {
            rows.push((key, row));
        }
    }
    Ok(rows)
}

/// The last row from `within`'s beginning up to `last`.
pub(crate) fn last<R: Row>(database: &Database, within: &Key, last: &Key) -> Result<Option<R>, StoreError> {
    match database.last_in(within.bytes(), last.bytes())? {
        Some((key, first)) => finish(database, &key, first),
        None => Ok(None),
    }
}

/// Where a scan begins: behind `after`, or at the beginning of `within`.
pub(crate) fn from<'a>(within: &'a Key, after: Option<&'a Key>) -> Bound<&'a [u8]> {
    after.map_or(Bound::Included(within.bytes()), |after| Bound::Excluded(after.bytes()))
}

/// Reads the rest of a row whose first value is known. `None` if it was deleted meanwhile.
fn finish<R: Row>(database: &Database, key: &[u8], first: IVec) -> Result<Option<R>, StoreError> {
    let mut first = first;
    // The first value may have been read long ago, so the first round proves nothing.
    let mut generation = None;
    loop {
        let damage = match try_finish(database, key, &first)? {
            Ok(row) => return Ok(Some(row)),
            Err(damage) => damage,
        };
        // The row may have been replaced between the reading of two of its values; if nothing was, it is damaged.
        let now = database.generation();
        if generation == Some(now) && now.is_multiple_of(2) {
            return Err(corrupt(R::TABLE, key, damage));
        }
        generation = Some(now);
        match database.get(key)? {
            Some(again) => first = again,
            None => return Ok(None),
        }
    }
}

fn try_finish<R: Row>(
    database: &Database,
    key: &[u8],
    first: &IVec,
) -> Result<Result<R, String>, StoreError> {
    let opened = match envelope::open(key, R::TABLE.number(), R::VERSION, first) {
        Ok(opened) => opened,
        Err(damage) => return Ok(Err(damage.to_string())),
    };
    let decoded = if opened.chunks == 0 {
        row::decode(opened.body)
    } else {
        match envelope::join(key, &opened, |chunk| database.get(chunk))? {
            Ok(body) => row::decode(&body),
            Err(damage) => return Ok(Err(damage.to_string())),
        }
    };
    Ok(decoded.map_err(|error| error.to_string()))
}

/// How many chunks the value under a key has, if it can be read.
pub(crate) fn chunks(key: &[u8], table: Table, version: u8, first: &[u8]) -> Result<u16, Damage> {
    Ok(envelope::open(key, table.number(), version, first)?.chunks)
}

pub(crate) fn corrupt(table: Table, key: &[u8], problem: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt(place(table, key), problem)
}
