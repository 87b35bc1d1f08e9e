//! End-to-end tests of Steadfast and what they share.

pub mod crash;
pub mod kit;
pub mod simulate;
