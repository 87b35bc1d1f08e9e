//! The world: engines, bodies, clients, time; one action at a time.

mod actions;
mod bodies;
mod clients;
mod look;
mod trouble;
mod whole;

pub(super) use whole::World;
