//! Cases of sagas, cancellation, keys, eviction and shutdown, on every store.

#[path = "cases_saga/cancelled_clean_up.rs"]
mod cancelled_clean_up;
#[path = "cases_saga/cancelled_steps.rs"]
mod cancelled_steps;
#[path = "cases_saga/compensating_errors.rs"]
mod compensating_errors;
#[path = "cases_saga/every_commit.rs"]
mod every_commit;
#[path = "cases_saga/evicted.rs"]
mod evicted;
#[path = "cases_saga/evicted_sagas.rs"]
mod evicted_sagas;
#[path = "cases_saga/keys.rs"]
mod keys;
#[path = "cases_saga/killed_while_unwinding.rs"]
mod killed_while_unwinding;
#[path = "cases_saga/order_of_undos.rs"]
mod order_of_undos;
#[path = "cases_saga/other_outcomes.rs"]
mod other_outcomes;
#[path = "cases_saga/shop.rs"]
mod shop;
#[path = "cases_saga/stopping.rs"]
mod stopping;
#[path = "cases_saga/timeouts.rs"]
mod timeouts;
#[path = "cases_saga/unknown_outcome.rs"]
mod unknown_outcome;
