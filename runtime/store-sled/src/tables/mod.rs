//! One file for each trait of the contract, over rows in the tree.

mod breaker;
mod dead_letter;
mod due;
mod message;
mod request;
mod run;
mod session;
mod task;
mod visibility;
