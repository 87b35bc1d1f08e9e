//! What the tests of this package share.

mod memory;

pub(crate) use memory::memory;
