//! The suite that every store passes: one property a test, and random operation sequences compared with the model.
//!
//! A store's own tests say how to make one ([`Harness`]) and expand the suite:
//!
//! ```
//! use steadfast_core::{Namespace, Timestamp};
//! use steadfast_store::conformance::{Harness, run_all};
//! use steadfast_store::{MemoryStore, Store};
//!
//! struct Memory(MemoryStore);
//!
//! impl Harness for Memory {
//!     fn store(&self) -> &dyn Store {
//!         &self.0
//!     }
//!     fn reopen(&mut self) {}
//! }
//!
//! fn memory() -> Box<dyn Harness> {
//!     let namespace = Namespace::new("test").unwrap();
//!     Box::new(Memory(MemoryStore::new(namespace, 4, Timestamp::from_micros(1_000_000))))
//! }
//!
//! // In a test file, one #[test] for each property:
//! // steadfast_store::store_conformance!(memory);
//! // Or all of them at once:
//! run_all(&memory);
//! ```
//!
//! Properties fail by panicking, with what was expected of the store in the message.

mod atomicity;
mod breakers;
mod consistency;
mod damage;
mod dead_letters;
mod due;
mod fencing;
mod fixture;
mod harness;
mod history;
mod items;
mod large;
mod messages;
pub mod model;
mod namespaces;
mod recovery;
mod requests;
mod rows;
mod sessions;
mod suite;
mod tasks;
mod visibility;

pub use harness::{Damaged, Harness};
pub use suite::{PROPERTIES, Property, check, run_all};
