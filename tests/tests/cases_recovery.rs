//! Cases of recovery: stale takeovers, paused workers, kills, failing undos, simultaneous starts, clocks that are set.
//! On every store.

#[path = "cases_recovery/acknowledged.rs"]
mod acknowledged;
#[path = "cases_recovery/clock_steps.rs"]
mod clock_steps;
#[path = "cases_recovery/clock_while_closed.rs"]
mod clock_while_closed;
#[path = "cases_recovery/failing_undo.rs"]
mod failing_undo;
#[path = "cases_recovery/paused_worker.rs"]
mod paused_worker;
#[path = "cases_recovery/said.rs"]
mod said;
#[path = "cases_recovery/simultaneous_starts.rs"]
mod simultaneous_starts;
#[path = "cases_recovery/skewed_clocks.rs"]
mod skewed_clocks;
#[path = "cases_recovery/stale_recovery.rs"]
mod stale_recovery;
#[path = "cases_recovery/starts_in_a_race.rs"]
mod starts_in_a_race;
#[path = "cases_recovery/support.rs"]
mod support;
#[path = "cases_recovery/undoing.rs"]
mod undoing;
#[path = "cases_recovery/unopenable.rs"]
mod unopenable;
