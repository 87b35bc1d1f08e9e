//! What is read, what is refused, and what is written.

mod arguments;
mod expansion;
mod key;
mod mistakes;
