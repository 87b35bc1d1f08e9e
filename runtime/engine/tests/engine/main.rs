//! The engine as a whole, on the memory store: hand-made workflow functions and bodies, a clock that stands still.

#[cfg(test)]
mod blocked;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod evict;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod heartbeat;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod panics;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod registered;
#[cfg(test)]
mod retry;
#[cfg(test)]
mod shutdown;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod timers;
#[cfg(test)]
mod trap;
#[cfg(test)]
mod watchdog;
#[cfg(test)]
mod waves;
