//! What the tests of this package share.

#![allow(dead_code, unused_imports, reason = "each test file uses another part")]

mod bed;
pub(crate) mod child;

pub(crate) use bed::{Owner, Sled, namespace, options, with_raw};
