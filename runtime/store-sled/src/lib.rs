//! The embedded store of Steadfast, on sled.
