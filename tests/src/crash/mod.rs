//! The crash harness: one directory, many workers, each killed with SIGKILL in the middle of its work.
//!
//! The parent hosts the outside world (the booking service, and a ledger that records every call) and keeps the
//! callers' log from what workers say. Those two are the truth; what the engine has in its books is compared with
//! them. The flow, one file each: `plan` draws a kill, `round` runs one worker and kills it, `worker` is that
//! process, `phase` says where the kill fell, `check` judges in the end, `report` prints.

mod assignment;
mod callers;
mod case;
mod check;
mod dice;
mod digest;
mod finding;
mod line;
mod options;
mod outside;
mod phase;
mod plan;
mod point;
mod process;
mod report;
mod round;
mod run;
mod worker;

pub use run::main;
