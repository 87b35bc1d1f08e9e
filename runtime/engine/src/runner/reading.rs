//! The thread that reads lists: long readings keep no shard and no commit waiting.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use steadfast_store::{Group, Store};

use crate::shared::Shared;

/// One reading, with what is to be done with it.
pub(crate) type Reading = Box<dyn FnOnce(&dyn Store) + Send>;

/// Reads until nobody asks any more.
pub(super) fn run(shared: &Arc<Shared>, readings: &Receiver<Option<Reading>>) {
    while let Ok(Some(reading)) = readings.recv() {
        reading(&*shared.store);
    }
}

/// Everything that a reading could have seen becomes durable before its answer leaves.
pub(crate) fn settle(store: &dyn Store) -> Result<(), steadfast_store::StoreError> {
    store.commit(&Group::default()).map(|_| ())
}
