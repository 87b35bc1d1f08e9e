//! The engine as this worker uses it: how it is opened, and what it serves.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use steadfast::prelude::*;
use steadfast::{EngineConfig, Sabotage};
use steadfast_core::Namespace;
use steadfast_store_sled::{Probe, SledOptions, SledStore, Step};

use super::activities::{beat, book, record, unbook};
use super::hook::Hook;
use super::workflows::{beating, fan, flaky, nap, note, sequence, tour};
use crate::crash::assignment::Assignment;
use crate::crash::options::Fault;

/// The task queue of everything.
pub(super) const QUEUE: &str = "crash";
/// That of a program that says nothing of it.
const NAMESPACE: &str = "default";
/// Fewer than are in flight, so that runs are dropped from memory and replayed all the time.
const CACHED_RUNS: usize = 64;

/// Opens the store of the assignment and starts the worker.
pub(crate) async fn open(assignment: &Assignment, hook: &Arc<Hook>) -> anyhow::Result<Engine> {
    let store = open_store(&assignment.store, Arc::clone(hook)).await?;
    let hook = Arc::clone(hook);
    let config = EngineConfig {
        cached_runs: CACHED_RUNS,
        fail_points: Some(Arc::new(move |name| hook.at(name))),
        sabotage: assignment.sabotage.map(|fault| match fault {
            Fault::AckEarly => Sabotage::AckEarly,
            Fault::EffectBeforeCommit => Sabotage::EffectBeforeCommit,
        }),
        ..EngineConfig::default()
    };
    let engine = Engine::with_store(store, config).await?;
    let worker = engine
        .worker(QUEUE)
        .workflow(sequence)
        .workflow(tour)
        .workflow(nap)
        .workflow(flaky)
        .workflow(beating)
        .workflow(fan)
        .workflow(note)
        .activities(activities![record, beat, book, unbook]);
    worker.start().await?;
    Ok(engine)
}

/// The store as `Engine::open` makes it, with a hook between the steps of its commits.
async fn open_store(dir: &Path, hook: Arc<Hook>) -> anyhow::Result<Arc<SledStore>> {
    let mut options = SledOptions::new(dir, Namespace::new(NAMESPACE)?);
    options.probe = Probe::from_fn(move |step| {
        match step {
            Step::Begin => hook.at("store-begin"),
            Step::Applied => hook.at("store-applied"),
            Step::Flushed => hook.at("store-flushed"),
            Step::Synced => hook.at("store-synced"),
            _ => {}
        }
        Ok(())
    });
    let store = tokio::task::spawn_blocking(|| SledStore::open(options)).await?;
    Ok(Arc::new(store.context("cannot open the store")?))
}
