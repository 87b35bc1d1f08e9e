//! One engine, without threads: its machines, the messages between them, and what is on its way to the store.

mod engine;
mod leaving;
mod line;
mod step;
mod thief;

pub(super) use engine::{LEASE, Node, Opening, Running};
