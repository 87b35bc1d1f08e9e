//! What holds for every workflow program: properties of replay and of sagas, checked over programs drawn from seeds.
//!
//! A failure names the seed, and shows the smallest program that was found to fail in the same way. Set
//! `STEADFAST_CASES` to the number of programs, `STEADFAST_FROM` to the first seed.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod census;
#[cfg(test)]
mod change;
#[cfg(test)]
mod drive;
#[cfg(test)]
mod fates;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod record;
#[cfg(test)]
mod sagas;
#[cfg(test)]
mod watch;
