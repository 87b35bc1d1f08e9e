//! The reference model passes the suite it is the model for.

use std::time::Duration;

use steadfast_core::{Namespace, Timestamp};
use steadfast_store::conformance::model::compare;
use steadfast_store::{Commits, MemoryStore, Sessions};

#[cfg(test)]
mod support;

use support::memory;

steadfast_store::store_conformance!(memory);

#[test]
fn the_model_agrees_with_itself_for_many_seeds() {
    for seed in 0..5 {
        compare(&mut *memory(), seed);
    }
}

#[test]
fn a_snapshot_puts_everything_back() {
    let store = MemoryStore::new(Namespace::new("test").unwrap(), 4, Timestamp::ZERO);
    let session = store.open_session("a", Duration::from_secs(1)).unwrap();
    let snapshot = store.snapshot();
    store.end_session(session.id).unwrap();
    store.advance(Duration::from_secs(9));
    store.restore(&snapshot);
    assert_eq!(store.sessions().unwrap(), [session]);
    assert_eq!(store.now().unwrap(), Timestamp::ZERO);
    assert_eq!(store.stats().keys_own, 1);
}
