//! Sagas as transcripts; the kit also rebuilds each run before every input.

mod outcomes;
mod outliving;
mod unwinding;
