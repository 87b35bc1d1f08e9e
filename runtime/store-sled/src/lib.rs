//! The embedded store of Steadfast: a directory, sled 0.34.7, no server.
//!
//! What sled alone does is not durable on Linux, loses data with large values and grows without bound with large
//! batches. This package adds what is missing, and each part was needed in power-cut and `kill -9` tests:
//!
//! - half-written snapshots are removed before opening ([`SledStore::open`]);
//! - every file and directory is synced after opening;
//! - a group is acknowledged only after `flush` *and* `sync_data` on a descriptor of our own;
//! - no value is larger than 4 KiB: larger rows are cut into chunks that change in the same batch, and `blobs/`,
//!   where sled keeps larger ones without syncing them, stays empty;
//! - a batch holds at most 512 keys, but a transition is never split;
//! - a commit counter outside sled shows a log whose tail was cut, and what sled cuts off when it opens is kept until
//!   the store has opened well;
//! - every value stands in an envelope with a checksum over its key and itself.
//!
//! **Invariants**: one process holds the directory; one thread writes at a time; what cannot be read is never
//! rewritten or deleted; after a failed write, flush or sync nothing is written or read any more until the store is
//! opened again.

mod commit;
mod counter;
mod database;
mod directory;
mod envelope;
mod error;
mod key;
mod namespace;
mod open;
mod options;
mod row;
mod space;
mod stage;
mod store;
mod tables;
mod value;

pub use options::{Clock, Probe, SledOptions, Step};
pub use store::SledStore;
