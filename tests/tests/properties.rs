//! Whole engines on programs drawn from seeds: what does not show in a history.
//!
//! Set `STEADFAST_CASES` to the number of programs, `STEADFAST_FROM` to the first seed.

#[path = "properties/drive.rs"]
mod drive;
#[path = "properties/equality.rs"]
mod equality;
