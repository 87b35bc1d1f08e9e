//! From the address of a store to the store.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use steadfast_core::{Namespace, Timestamp};
use steadfast_store::{MemoryStore, Store};

use super::OpenError;

const NAMESPACE: &str = "default";
const MEMORY_SHARDS: u16 = 64;

/// What an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address<'a> {
    Directory(&'a str),
    Memory,
}

pub(super) fn open(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    let namespace = Namespace::new(NAMESPACE)?;
    match parse(url)? {
        Address::Memory => Ok(Arc::new(MemoryStore::new(namespace, MEMORY_SHARDS, now()))),
        Address::Directory(dir) => directory(url, dir, namespace),
    }
}

fn parse(url: &str) -> Result<Address<'_>, OpenError> {
    let refuse = |problem: &str| OpenError::Address { url: url.to_owned(), problem: problem.to_owned() };
    let address = match scheme(url) {
        None => Address::Directory(url),
        Some(("sled", dir)) => Address::Directory(dir.strip_prefix("//").unwrap_or(dir)),
        Some(("memory", "" | "//")) => Address::Memory,
        Some(("memory", _)) => return Err(refuse("a store in memory has no name; write `memory:`")),
        Some((scheme, _)) => {
            let known = "`./dir`, `sled:./dir` and `memory:`".to_owned();
            return Err(OpenError::UnknownStore { scheme: scheme.to_owned(), known });
        }
    };
    if matches!(address, Address::Directory(dir) if dir.trim().is_empty()) {
        return Err(refuse("it names no directory; write `./dir`"));
    }
    Ok(address)
}

/// What stands before the first colon, if it is a word; a single letter is a drive.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let is_word = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '+');
    is_word.then_some((scheme, rest))
}

#[cfg(feature = "sled")]
fn directory(url: &str, dir: &str, namespace: Namespace) -> Result<Arc<dyn Store>, OpenError> {
    use steadfast_store_sled::{SledOptions, SledStore};

    let store = SledStore::open(SledOptions::new(dir, namespace))
        .map_err(|source| OpenError::Store { url: url.to_owned(), source })?;
    Ok(Arc::new(store))
}

#[cfg(not(feature = "sled"))]
fn directory(_url: &str, _dir: &str, _namespace: Namespace) -> Result<Arc<dyn Store>, OpenError> {
    let known = "`memory:` (the feature `sled` is off)".to_owned();
    Err(OpenError::UnknownStore { scheme: "sled".to_owned(), known })
}

/// The wall clock: where the clock of a store in memory begins.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::ZERO.after(since)
}

#[cfg(test)]
mod tests;
