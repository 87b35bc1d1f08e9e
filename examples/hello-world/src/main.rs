//! The smallest Steadfast program.
fn main() {}
