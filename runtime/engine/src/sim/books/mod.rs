//! Books of everything that was ever committed, kept apart from the store and the engines, and what must be true of
//! them after every step.
//!
//! The books hear what the store really did ([`super::watched::WatchedStore`]), what bodies came to, and what clients
//! were told. They keep their own count of who owns what, their own copy of every history, and run the code of every
//! workflow beside it.

mod answers;
mod attempts;
mod begun;
mod book;
mod end;
mod history;
mod run;
mod saga;
mod tasks;
mod writes;

pub(super) use book::Books;
