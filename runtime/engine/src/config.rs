//! What an engine can be told when it is opened.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use steadfast_core::RunId;
use steadfast_core::history::RunLimits;

use crate::clock::EngineClock;
use crate::watch::Used;

/// Called at named points of the engine's work, so that a test can stop or kill it there.
pub type FailPoint = Arc<dyn Fn(&'static str) + Send + Sync>;

/// A fault that is built in on purpose, so that a test can prove that it would be found.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// Clients are answered before their record is durable.
    AckEarly,
    /// Bodies start before their grant is durable.
    EffectBeforeCommit,
}

/// Says what the code of a run has used, in place of the clocks; `None` leaves it to them.
type Probe = Arc<dyn Fn(RunId) -> Option<Used> + Send + Sync>;

/// How workflow code that does not come back is found.
#[doc(hidden)]
#[derive(Clone)]
pub struct WatchSettings {
    /// The pause between two looks.
    pub look_every: Duration,
    pub probe: Option<Probe>,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self { look_every: Duration::from_secs(1), probe: None }
    }
}

impl fmt::Debug for WatchSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchSettings").field("look_every", &self.look_every).finish_non_exhaustive()
    }
}

/// Settings of an engine. [`EngineConfig::default`] suits production.
#[derive(Clone)]
pub struct EngineConfig {
    /// A name of this engine for people.
    pub name: String,
    /// How long the engine's session lives without being renewed; it is renewed at a third of this.
    pub lease: Duration,
    /// How many threads run workflow code; `None` is as many as there are processors, at most one a shard.
    pub shard_threads: Option<usize>,
    /// How many runs are kept in memory, over all shards.
    pub cached_runs: usize,
    /// Drops a run from memory whenever it stands still and its history has at most 500 events. For tests.
    pub evict_always: bool,
    /// Limits that are pinned when a run starts.
    pub limits: RunLimits,
    /// Where activity bodies run; `None` is the runtime in which the engine is opened, or one of its own.
    pub runtime: Option<tokio::runtime::Handle>,
    /// How long [`crate::Engine::shutdown`] lets bodies finish when it is not told.
    pub shutdown_grace: Duration,
    /// Where random numbers of the engine begin; `None` asks the operating system.
    pub seed: Option<u64>,
    /// Where the time comes from; `None` is the system's clocks.
    pub clock: Option<Arc<dyn EngineClock>>,
    /// Called at named points. For tests.
    pub fail_points: Option<FailPoint>,
    /// A fault built in on purpose. For tests.
    #[doc(hidden)]
    pub sabotage: Option<Sabotage>,
    /// How workflow code that does not come back is found. For tests.
    #[doc(hidden)]
    pub watch: WatchSettings,
}

/// The environment variable that turns [`EngineConfig::evict_always`] on when it is `always`.
pub const EVICT_VARIABLE: &str = "STEADFAST_EVICT";

impl Default for EngineConfig {
    fn default() -> Self {
        let evict_always = std::env::var(EVICT_VARIABLE).is_ok_and(|value| value == "always");
        Self {
            name: format!("process {}", std::process::id()),
            lease: Duration::from_secs(10),
            shard_threads: None,
            cached_runs: 8_192,
            evict_always,
            limits: RunLimits::default(),
            runtime: None,
            shutdown_grace: Duration::from_secs(10),
            seed: None,
            clock: None,
            fail_points: None,
            sabotage: None,
            watch: WatchSettings::default(),
        }
    }
}

impl fmt::Debug for EngineConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineConfig")
            .field("name", &self.name)
            .field("lease", &self.lease)
            .field("cached_runs", &self.cached_runs)
            .field("evict_always", &self.evict_always)
            .finish_non_exhaustive()
    }
}

impl EngineConfig {
    /// The largest history whose run is dropped from memory under [`EngineConfig::evict_always`]: replaying a long
    /// one again and again would take quadratic time.
    pub(crate) const EVICT_EVENTS_MAX: u64 = 500;

    pub(crate) fn fail_point(&self, name: &'static str) {
        if let Some(call) = &self.fail_points {
            call(name);
        }
    }
}
