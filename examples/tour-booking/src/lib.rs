//! A tour booked by a saga that survives kill -9.
//!
//! [`workflows`] and [`activities`] are the program proper; [`worker`] runs them. The rest shows what they are worth:
//! [`service`] is the outside world, and [`demo`] kills the worker in the middle and judges the service's books.

pub mod activities;
mod commits;
pub mod demo;
pub mod lifeline;
pub mod options;
pub mod plan;
pub mod report;
pub mod service;
pub mod timeline;
pub mod worker;
pub mod workflows;
