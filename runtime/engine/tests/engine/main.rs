//! The engine as a whole, on the memory store: hand-made workflow functions and bodies, a clock that stands still.

mod bounds;
mod cancel;
mod blocked;
mod crash;
mod ends;
mod heartbeat;
mod kit;
mod lifecycle;
mod panics;
mod policies;
mod registered;
mod retry;
mod shutdown;
mod simulation;
mod timers;
