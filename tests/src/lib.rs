//! End-to-end tests of Steadfast and what they share.
