//! Many activities in one run: what one of them costs does not depend on how many there were before it.

#[path = "scale/closed.rs"]
mod closed;
#[path = "scale/join.rs"]
mod join;
#[path = "scale/line.rs"]
mod line;
#[path = "scale/reads.rs"]
mod reads;
