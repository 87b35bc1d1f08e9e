//! What the steps of a run cost: keys, commits, syncs. Counted, never timed.

#[path = "budget/cost.rs"]
mod cost;
#[path = "budget/ends.rs"]
mod ends;
#[path = "budget/fan.rs"]
mod fan;
#[path = "budget/line.rs"]
mod line;
