//! Transcripts: a workflow and its inputs on one side, the history as text on the other.
//!
//! The test kit drives two instances: one lives throughout, the other is rebuilt by replay before every input. Both
//! must bring about the same events.

mod blocked;
mod cancel;
mod flow;
pub(crate) mod kit;
mod replay;
