//! Ending an engine in order.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::engine::{Inner, Threads};
use super::keeping::KeepMessage;
use super::router::ThreadMessage;
use crate::activity::Stop;

/// How long bodies that were told to hand back have for that, and commits for their last sync.
const LAST_COMMITS: Duration = Duration::from_secs(3);

/// Stops everything. Blocks.
pub(super) fn run(inner: &Inner, grace: Duration) {
    let Threads { shards, others } = inner.take_threads();
    if shards.is_empty() && others.is_empty() {
        return;
    }
    let end = Instant::now() + grace + LAST_COMMITS;
    inner.shared().stop();
    // Grants that are on their way to the store become bodies, so that those are waited for too.
    wait_until_quiet(inner, end);
    let all_finished =
        inner.bodies().wait_until_none((end - LAST_COMMITS).saturating_duration_since(Instant::now()));
    if !all_finished {
        inner.bodies().stop_all(Stop::HandBack);
        inner.bodies().wait_until_none(LAST_COMMITS);
    }
    wait_until_quiet(inner, end);
    end_session(inner, end);
    inner.stop_shards();
    join(shards);
    inner.stop_others();
    join(others);
    inner.stop_runtime();
}

/// Everything that has finished becomes durable, unless the store takes too long.
fn wait_until_quiet(inner: &Inner, end: Instant) {
    let (quiet, threads) = mpsc::channel();
    inner.router().broadcast(|| ThreadMessage::WhenQuiet(quiet.clone()));
    drop(quiet);
    for _ in 0..inner.router().thread_count() {
        if threads.recv_timeout(end.saturating_duration_since(Instant::now())).is_err() {
            tracing::warn!(
                "the store takes long; what it has not confirmed is recovered at the next opening"
            );
            return;
        }
    }
}

fn end_session(inner: &Inner, end: Instant) {
    let (ended, done) = mpsc::channel();
    if inner.keeper().send(KeepMessage::End(ended)).is_ok()
        && done
            .recv_timeout(end.saturating_duration_since(Instant::now()).max(Duration::from_millis(100)))
            .is_err()
    {
        tracing::warn!("the session could not be ended in time; its lease will lapse");
    }
}

fn join(threads: Vec<std::thread::JoinHandle<()>>) {
    for thread in threads {
        if thread.join().is_err() {
            tracing::error!("a thread of the engine had panicked");
        }
    }
}
