//! Ending an engine in order.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::engine::Inner;
use super::keeping::KeepMessage;
use super::router::ThreadMessage;
use crate::activity::Stop;

/// How long bodies that were told to hand back have for that, and commits for their last sync.
const LAST_COMMITS: Duration = Duration::from_secs(3);
/// The pause between two looks at threads that are about to end.
const SHARD_LOOK: Duration = Duration::from_millis(1);

/// Stops everything. Blocks.
pub(super) fn run(inner: &Inner, grace: Duration) {
    let others = inner.take_others();
    if others.is_empty() {
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
    join_shards(inner.take_shards(), end.max(Instant::now() + LAST_COMMITS));
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

/// Workflow code may not come back: its thread is not waited for without end. Nothing of it is committed any more,
/// since the session has ended.
fn join_shards(threads: Vec<JoinHandle<()>>, end: Instant) {
    let mut running = threads;
    loop {
        let (ended, others): (Vec<_>, Vec<_>) = running.into_iter().partition(JoinHandle::is_finished);
        join(ended);
        running = others;
        if running.is_empty() {
            return;
        }
        if Instant::now() >= end {
            tracing::error!(
                threads = running.len(),
                "workflow code does not come back; its threads are left behind"
            );
            return;
        }
        std::thread::sleep(SHARD_LOOK);
    }
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        if thread.join().is_err() {
            tracing::error!("a thread of the engine had panicked");
        }
    }
}
