//! A tour booked by a saga that survives kill -9.

pub mod service;
