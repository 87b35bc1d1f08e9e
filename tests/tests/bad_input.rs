//! Bad input: each kind gives a clear error that says what to do, and nothing is stored.

#[path = "bad_input/directories.rs"]
mod directories;
#[path = "bad_input/ids.rs"]
mod ids;
#[path = "bad_input/runs.rs"]
mod runs;
#[path = "bad_input/shutdown.rs"]
mod shutdown;
#[path = "bad_input/table.rs"]
mod table;
#[path = "bad_input/values.rs"]
mod values;
#[path = "bad_input/workers.rs"]
mod workers;
