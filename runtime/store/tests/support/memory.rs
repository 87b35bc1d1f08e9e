//! The memory store as the suite sees it.

use std::time::Duration;

use steadfast_core::{Namespace, Timestamp};
use steadfast_store::conformance::Harness;
use steadfast_store::{MemoryStore, Sessions, Store};

struct Memory(MemoryStore);

impl Harness for Memory {
    fn store(&self) -> &dyn Store {
        &self.0
    }

    fn reopen(&mut self) {
        self.0 = self.0.clone();
    }

    fn advance(&mut self, by: Duration) -> bool {
        self.0.advance(by);
        true
    }

    fn other_namespace(&mut self) -> Option<Box<dyn Store>> {
        let other = Namespace::new("other").unwrap();
        Some(Box::new(self.0.with_namespace(other, self.0.shard_count()).unwrap()))
    }
}

pub(crate) fn memory() -> Box<dyn Harness> {
    let start = Timestamp::from_micros(1_000_000_000_000);
    Box::new(Memory(MemoryStore::new(Namespace::new("test").unwrap(), 4, start)))
}
