//! The demonstration: starts the booking service and a worker process, kills the worker in the middle of a saga,
//! starts another one, shows the histories, and judges the service's books.
//!
//! One file each: `interrupt` ends everything on Ctrl-C, `run` is the story, `child` a worker process, `place` the
//! folders, `outcome` what was learnt of the tours, `show` and `console` what is printed.

mod child;
mod console;
mod interrupt;
mod outcome;
mod place;
mod run;
mod show;

pub use interrupt::run_until_interrupted;
