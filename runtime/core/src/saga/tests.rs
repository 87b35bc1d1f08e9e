//! Sagas as transcripts; the kit also rebuilds each run before every input.

mod holds;
mod outcomes;
mod outliving;
mod report;
mod unwinding;
