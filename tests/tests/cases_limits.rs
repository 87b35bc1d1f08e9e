//! Cases of limits: long histories, panics, large values, backoff, herds, what nobody has registered. On every store.

#[path = "cases_limits/backoff.rs"]
mod backoff;
#[path = "cases_limits/bombs.rs"]
mod bombs;
#[path = "cases_limits/herd.rs"]
mod herd;
#[path = "cases_limits/incomplete.rs"]
mod incomplete;
#[path = "cases_limits/long_history.rs"]
mod long_history;
#[path = "cases_limits/panics.rs"]
mod panics;
#[path = "cases_limits/panics_elsewhere.rs"]
mod panics_elsewhere;
#[path = "cases_limits/payloads.rs"]
mod payloads;
#[path = "cases_limits/payloads_elsewhere.rs"]
mod payloads_elsewhere;
#[path = "cases_limits/registration.rs"]
mod registration;
#[path = "cases_limits/registration_of_workflows.rs"]
mod registration_of_workflows;
#[path = "cases_limits/support.rs"]
mod support;
#[path = "cases_limits/synthetic.rs"]
mod synthetic;
#[path = "cases_limits/torn.rs"]
mod torn;
