//! Circuit breakers on every store: trials are few, their permits come back on every way out, and what waits uses up no
//! attempts.

#[path = "circuit/half_open.rs"]
mod half_open;
#[path = "circuit/keys.rs"]
mod keys;
#[path = "circuit/operators.rs"]
mod operators;
#[path = "circuit/shop.rs"]
mod shop;
