//! Workloads that measure Steadfast, each result a line of JSON.
//!
//! The engine is used as programs use it, through the package `steadfast`, with its usual settings. `raw`
//! measures the disk below; what one durable commit of the embedded store's driver takes is measured by the example
//! `lone_commits` of its package, where alone the driver is known. A figure means something beside another from the
//! same machine and the same hour only.
//!
//! | Figure | Where it comes from |
//! | --- | --- |
//! | `secs` | the monotonic clock, from the first start to the last result; of W6's parts: `start` until the last start is acknowledged, `reopen` from before the store is opened until 1,000 runs have answered, `wake` the whole part |
//! | `workflows_per_s`, `activities_per_s`, `records_per_s` | what was done, counted by this program, by `secs` |
//! | `ms_per_activity` | `secs` by activities: starting workflows and taking their results are in it |
//! | `p50_ms`, `p99_ms` | every one timed by this program: a sync (raw), the time from one activity's body to the next one's in the same workflow (W1, W5), from the call that starts a workflow to its result (W2) |
//! | `first_tenth_ms`, `last_tenth_ms` | the mean of those times among the first and the last tenth of the activities (W5) |
//! | `cpu_s` | the process's processor clock, all threads, user and system, this program's own callers too |
//! | `rss_mib`, `rss_now_mib` | `VmHWM` and `VmRSS` of `/proc/self/status`: the most since the process began, and at the end |
//! | `disk_bytes` | the blocks that all files of the store occupy, at the end |
//! | `written_bytes` | `write_bytes` of `/proc/self/io`: what the process gave the kernel for a disk, in whole pages; 0 where files are in memory |
//! | `syncs` | the store's own count of syncs that a caller waited for; of raw, the calls of this program |
//!
//! Only `syncs` is told by what is measured: the kernel keeps no such count. What does not apply to a workload is not
//! in its line.
//!
//! One file for each workload: `raw`, `line` (W1 and W5), `crowd` (W2 by number), `load` (W2 by
//! time), `sleep` (W6). `options` says which of them takes what; `meter` reads what the process used; `report` prints.

mod crowd;
mod line;
mod load;
mod meter;
mod options;
mod place;
mod raw;
mod report;
mod run;
mod sample;
mod sleep;
mod workflows;

pub use run::main;
