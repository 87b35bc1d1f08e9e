//! A result: one line of JSON on stdout.

use std::io::{self, Write as _};

use anyhow::Context as _;
use serde::{Serialize, Serializer};

/// What was measured. What does not apply to a workload is not in its line.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Line {
    pub(crate) workload: &'static str,
    /// The part of the workload: how many share a sync, or what the process did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<&'static str>,
    pub(crate) n: u64,
    pub(crate) store: String,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) secs: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) records_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) workflows_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) activities_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) ms_per_activity: Option<f64>,
    /// Of an activity among the first tenth of the run.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) first_tenth_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) last_tenth_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) p50_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) p99_ms: Option<f64>,
    /// Processor time of all threads.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) cpu_s: Option<f64>,
    /// The most that the process occupied since it began.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) rss_mib: Option<f64>,
    /// What it occupies at the end.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) rss_now_mib: Option<f64>,
    /// What it occupied on average in the first minute under load, and in the last.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) rss_first_minute_mib: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) rss_last_minute_mib: Option<f64>,
    /// The straight line through the samples after the first minute.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded")]
    pub(crate) rss_mib_per_minute: Option<f64>,
    /// What the files of the store occupy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) disk_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written_bytes: Option<u64>,
    /// Syncs that somebody waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) syncs: Option<u64>,
    /// Runs that were found open and able to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asleep: Option<u64>,
    /// Runs that woke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) woken: Option<u64>,
}

fn rounded<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| (number * 10_000.0).round() / 10_000.0).serialize(serializer)
}

impl Line {
    /// Prints it at once, for whoever reads along.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string(self).context("a result cannot be written")?;
        let mut out = io::stdout().lock();
        writeln!(out, "{text}").and_then(|()| out.flush()).context("nobody takes the result")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_applies_is_in_the_line() {
        let line = Line {
            workload: "W1",
            n: 2,
            store: "memory:".to_owned(),
            secs: Some(1.234_56),
            syncs: Some(7),
            ..Line::default()
        };
        let text = serde_json::to_string(&line).expect("a line");
        assert_eq!(text, r#"{"workload":"W1","n":2,"store":"memory:","secs":1.2346,"syncs":7}"#);
    }
}
