//! The judgement in the end: what callers were told and what the outside world saw, against what the store holds.

mod acknowledged;
mod activities;
mod effects;
mod histories;
mod judge;
mod readings;
mod stored;
mod tours;

pub(crate) use judge::{Evidence, Verdict, all};
pub(crate) use stored::{StoredRun, write_run};
