//! Many simulations: one for each seed, over some threads, with what happened in all of them at the end.

mod options;
mod run;

pub use run::main;
