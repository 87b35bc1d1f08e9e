//! The store's clock: it goes on from the last time that was stored, at the pace of the clock that it was given.

#[cfg(test)]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use steadfast_core::Timestamp;
use steadfast_store::{Commits, Sessions};
use tempfile::TempDir;

use clocked::{commit, open};

const HOUR: Duration = Duration::from_secs(3_600);
const LEASE: Duration = Duration::from_secs(5);

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

/// A store on a clock that the test sets.
#[cfg(test)]
mod clocked {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use steadfast_core::{RunId, ShardId, Timestamp};
    use steadfast_store::{Commits, Group, Sessions, Transition, Verdict, Write};
    use steadfast_store_sled::{Clock, SledStore};

    use super::{LEASE, at};
    use crate::support::options;

    pub(crate) fn open(dir: &Path, seconds: &Arc<AtomicU64>) -> SledStore {
        let mut options = options(dir);
        let seconds = Arc::clone(seconds);
        options.clock = Clock::from_fn(move || at(seconds.load(Ordering::Relaxed)));
        SledStore::open(options).unwrap()
    }

    /// Commits something at `time`, in a session of its own.
    pub(crate) fn commit(store: &SledStore, time: Timestamp) {
        let session = store.open_session("owner", LEASE).unwrap().id;
        let row = store.claim_shard(session, ShardId(0)).unwrap();
        let write = Write::PutDue { at: time, run: RunId::from_bytes([1; 16]) };
        let transition =
            Transition { shard: row.shard, epoch: row.epoch, expected: None, writes: vec![write] };
        let group = Group { at: time, transitions: vec![transition] };
        assert_eq!(store.commit(&group).unwrap(), [Verdict::Committed]);
    }
}

#[test]
fn a_clock_that_was_set_back_while_the_store_was_closed_goes_on_from_the_last_time() {
    let (dir, seconds) = (TempDir::new().unwrap(), Arc::new(AtomicU64::new(10_000)));
    let store = open(dir.path(), &seconds);
    commit(&store, at(10_000));
    drop(store);
    seconds.store(10_000 - HOUR.as_secs(), Ordering::Relaxed);
    let store = open(dir.path(), &seconds);
    assert_eq!(store.now().unwrap(), at(10_000));
    let session = store.open_session("silent", LEASE).unwrap();
    assert_eq!(session.expires_at, at(10_005));
    seconds.fetch_add(4, Ordering::Relaxed);
    assert_eq!(store.now().unwrap(), at(10_004));
    assert!(!store.end_session_if_lapsed(session.id).unwrap());
    seconds.fetch_add(1, Ordering::Relaxed);
    assert!(
        store.end_session_if_lapsed(session.id).unwrap(),
        "the lease is over after its time, not an hour later"
    );
}

#[test]
fn a_clock_that_was_set_forward_while_the_store_was_closed_is_followed() {
    let (dir, seconds) = (TempDir::new().unwrap(), Arc::new(AtomicU64::new(10_000)));
    let store = open(dir.path(), &seconds);
    commit(&store, at(10_000));
    drop(store);
    seconds.fetch_add(HOUR.as_secs(), Ordering::Relaxed);
    let store = open(dir.path(), &seconds);
    assert_eq!(store.now().unwrap(), at(13_600));
    assert_eq!(store.last_time().unwrap(), at(10_000));
}

#[test]
fn an_engine_whose_clock_is_ahead_does_not_move_the_clock_of_the_store() {
    let (dir, seconds) = (TempDir::new().unwrap(), Arc::new(AtomicU64::new(10_000)));
    let store = open(dir.path(), &seconds);
    let session = store.open_session("other", LEASE).unwrap();
    commit(&store, at(10_060));
    assert_eq!(store.now().unwrap(), at(10_000));
    assert!(
        !store.end_session_if_lapsed(session.id).unwrap(),
        "a lease is measured by the store's clock alone"
    );
    assert_eq!(store.last_time().unwrap(), at(10_060));
}
