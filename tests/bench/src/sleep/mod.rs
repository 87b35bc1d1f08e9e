//! W6: workflows that sleep for an hour. The process that started them is killed, others open the store again.
//!
//! Each part is a process of its own, so that what it occupies is its own: `parent` starts and kills them, `start`,
//! `reopen` and `wake` are what they do.

mod child;
mod parent;
mod reopen;
mod start;
mod wake;

pub(crate) use child::child;
pub(crate) use parent::parent;
