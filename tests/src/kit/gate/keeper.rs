//! The gate: what passes it is written down, and at a moment that the test chooses it closes for good.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use steadfast::store::{Group, Store, StoreError, StoreErrorKind, Verdict};

use super::commit::Commit;
use crate::kit::board::Board;
use crate::kit::life::Life;
use crate::kit::story::Names;

type Rule = Box<dyn Fn(&Commit) -> bool + Send + Sync>;

enum Cut {
    Before(Rule),
    After(Rule),
}

#[derive(Default)]
struct Log {
    begun: usize,
    durable: Vec<Commit>,
    cut: Option<Cut>,
    is_held: bool,
    delay: Duration,
}

/// Stands between one engine and its store. When its [`Life`] is over every call fails, and nothing more reaches the
/// store.
pub struct Gate {
    /// Read for the length of a call; written to let the store go.
    store: RwLock<Option<Arc<dyn Store>>>,
    log: Board<Log>,
    /// Shared by all gates of a bed, since events refer to earlier ones.
    names: Arc<Mutex<Names>>,
    life: Life,
    shard_count: u16,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("life", &self.life).finish_non_exhaustive()
    }
}

impl Gate {
    pub(in crate::kit) fn new(store: Arc<dyn Store>, names: Arc<Mutex<Names>>, life: Life) -> Self {
        let shard_count = store.shard_count();
        Self { store: RwLock::new(Some(store)), log: Board::new(Log::default()), names, life, shard_count }
    }

    /// Cuts the engine off before the first commit for which `when` holds: it does not happen.
    pub fn cut_before(&self, when: impl Fn(&Commit) -> bool + Send + Sync + 'static) {
        self.log.change(|log| log.cut = Some(Cut::Before(Box::new(when))));
    }

    /// Cuts the engine off after the first commit for which `when` holds: it is durable, and nobody is told.
    pub fn cut_after(&self, when: impl Fn(&Commit) -> bool + Send + Sync + 'static) {
        self.log.change(|log| log.cut = Some(Cut::After(Box::new(when))));
    }

    /// Waits until the engine is cut off.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_cut(&self) -> anyhow::Result<()> {
        self.life.over().await
    }

    /// Waits until a commit for which `when` holds is durable; one that came before counts.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_committed(&self, when: impl Fn(&Commit) -> bool) -> anyhow::Result<()> {
        self.log.until("the commit is durable", |log| log.durable.iter().any(&when)).await
    }

    /// [`until_committed`](Gate::until_committed) for the first event with this line.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_event(&self, line: &str) -> anyhow::Result<()> {
        let what = format!("{line} is durable");
        self.log.until(&what, |log| log.durable.iter().any(|commit| commit.has(line))).await
    }

    /// Waits until something is so of all commits that are durable.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_commits(&self, is_so: impl Fn(&[Commit]) -> bool) -> anyhow::Result<()> {
        self.log.until("the commits are durable", |log| is_so(&log.durable)).await
    }

    /// How many commits have reached the gate, durable or not.
    #[must_use]
    pub fn begun(&self) -> usize {
        self.log.read(|log| log.begun)
    }

    /// Waits until at least `count` commits have reached the gate.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_begun(&self, count: usize) -> anyhow::Result<()> {
        self.log.until(&format!("{count} commits have begun"), |log| log.begun >= count).await
    }

    /// The commits of this engine that are durable, in order.
    #[must_use]
    pub fn commits(&self) -> Vec<Commit> {
        self.log.read(|log| log.durable.clone())
    }

    /// Lets no commit through until [`release`](Gate::release).
    pub fn hold(&self) {
        self.log.change(|log| log.is_held = true);
    }

    /// Lets commits through again.
    pub fn release(&self) {
        self.log.change(|log| log.is_held = false);
    }

    /// Makes each commit take at least this long. This is real time, for what an engine measures in real time.
    pub fn delay(&self, delay: Duration) {
        self.log.change(|log| log.delay = delay);
    }

    /// The life of the engine.
    #[must_use]
    pub fn life(&self) -> &Life {
        &self.life
    }

    /// The store behind the gate; `None` when it was let go. Let go of it before the engine is restarted.
    #[must_use]
    pub fn store(&self) -> Option<Arc<dyn Store>> {
        self.store.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes for good and lets the store go. Waits for the calls that are in it.
    pub(in crate::kit) fn sever(&self) {
        self.end();
        drop(self.store.write().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn end(&self) {
        self.life.end();
        // Wakes a commit that is held.
        self.log.change(|log| log.is_held = false);
    }

    pub(super) fn shards(&self) -> u16 {
        self.shard_count
    }

    /// Makes a call, if the engine is alive; also one that was in the store when it died fails.
    pub(super) fn call<T, E: From<StoreError>>(
        &self,
        call: impl FnOnce(&dyn Store) -> Result<T, E>,
    ) -> Result<T, E> {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        let store = store.as_ref().filter(|_| !self.life.is_over()).ok_or_else(cut_off)?;
        let answer = call(&**store);
        if self.life.is_over() { Err(cut_off().into()) } else { answer }
    }

    pub(super) fn pass(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        if group.transitions.is_empty() {
            return self.call(|store| store.commit(group));
        }
        let nth = self.log.change(|log| {
            log.begun += 1;
            log.begun
        });
        self.log.block_until(|log| !log.is_held);
        std::thread::sleep(self.log.read(|log| log.delay));
        let commit = Commit::new(nth, group, &mut self.names.lock().unwrap_or_else(PoisonError::into_inner));
        if self.log.read(|log| matches!(&log.cut, Some(Cut::Before(when)) if when(&commit))) {
            self.end();
        }
        self.call(|store| {
            let verdicts = store.commit(group)?;
            self.passed(commit, &verdicts);
            Ok(verdicts)
        })
    }

    /// A commit is durable, if it was not refused.
    fn passed(&self, commit: Commit, verdicts: &[Verdict]) {
        if verdicts.iter().any(|verdict| *verdict != Verdict::Committed) {
            return;
        }
        let is_last = self.log.read(|log| matches!(&log.cut, Some(Cut::After(when)) if when(&commit)));
        if is_last {
            self.life.end();
        }
        self.log.change(|log| log.durable.push(commit));
    }
}

fn cut_off() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the engine is cut off from its store")
}
