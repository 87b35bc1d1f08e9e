//! The outside world that activities talk to: a ledger that records every call and applies an effect once per key.
//!
//! It lives in the parent, which is never killed, so it needs no disk. Workers reach it over a loopback socket. What
//! it says is the truth about what ran; the engine's own books are only compared with it.

mod book;
mod call;
mod client;
mod server;

pub(crate) use book::{Book, Counts, Effects};
pub(crate) use call::{Answer, Call};
pub(crate) use client::LedgerClient;
pub(crate) use server::serve;
