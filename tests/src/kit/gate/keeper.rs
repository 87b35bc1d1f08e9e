//! The gate: what passes it is written down, and at a moment that the test chooses it closes for good.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use steadfast::Timestamp;
use steadfast::store::{ClaimError, Group, ShardRow, Store, StoreError, StoreErrorKind, Verdict};
use steadfast_core::{SessionId, ShardId};

use super::claim::Claim;
use super::commit::Commit;
use super::hold::Hold;
use crate::kit::board::Board;
use crate::kit::life::Life;
use crate::kit::story::Names;

type Rule = Box<dyn Fn(&Commit) -> bool + Send + Sync>;

enum Cut {
    Before(Rule),
    After(Rule),
}

#[derive(Default)]
pub(super) struct Log {
    begun: usize,
    durable: Vec<Commit>,
    refused: Vec<(Commit, Vec<Verdict>)>,
    claims: Vec<Claim>,
    cut: Option<Cut>,
    /// How many commits fail before they reach the store.
    failing: usize,
    pub(super) hold: Hold,
    delay: Duration,
}

/// Stands between one engine and its store. When its [`Life`] is over every call fails, and nothing more reaches the
/// store.
pub struct Gate {
    /// Read for the length of a call; written to let the store go.
    store: RwLock<Option<Arc<dyn Store>>>,
    pub(super) log: Board<Log>,
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

    /// The commits of this engine that the store refused, in whole or in part, with its verdicts.
    #[must_use]
    pub fn refused(&self) -> Vec<(Commit, Vec<Verdict>)> {
        self.log.read(|log| log.refused.clone())
    }

    /// Waits until the store has refused a commit.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_refused(&self) -> anyhow::Result<()> {
        self.log.until("a commit is refused", |log| !log.refused.is_empty()).await
    }

    /// The claims of this engine, in order.
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        self.log.read(|log| log.claims.clone())
    }

    /// Waits until something is so of all claims that were answered.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_claims(&self, what: &str, is_so: impl Fn(&[Claim]) -> bool) -> anyhow::Result<()> {
        self.log.until(what, |log| is_so(&log.claims)).await
    }

    /// Lets the next commit fail as if the store did not answer: nothing of it is stored, and the engine lives on.
    pub fn fail_next_commit(&self) {
        self.log.change(|log| log.failing += 1);
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
        // Wakes what is held.
        self.release();
    }

    pub(super) fn shards(&self) -> u16 {
        self.shard_count
    }

    /// Makes a call, if the engine is alive; also one that was in the store when it died fails.
    pub(super) fn call<T, E: From<StoreError>>(
        &self,
        name: &'static str,
        call: impl FnOnce(&dyn Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.wait(name);
        self.make(call)
    }

    pub(super) fn claim(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError> {
        let mut at = Timestamp::ZERO;
        let answer = self.call("claim_shard", |store| {
            at = store.now()?;
            store.claim_shard(session, shard)
        });
        self.log.change(|log| log.claims.push(Claim::new(session, shard, at, &answer)));
        answer
    }

    fn make<T, E: From<StoreError>>(&self, call: impl FnOnce(&dyn Store) -> Result<T, E>) -> Result<T, E> {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        let store = store.as_ref().filter(|_| !self.life.is_over()).ok_or_else(cut_off)?;
        let answer = call(&**store);
        if self.life.is_over() { Err(cut_off().into()) } else { answer }
    }

    pub(super) fn pass(&self, group: &Group) -> Result<Vec<Verdict>, StoreError> {
        if group.transitions.is_empty() {
            return self.call("commit", |store| store.commit(group));
        }
        let nth = self.log.change(|log| {
            log.begun += 1;
            log.begun
        });
        self.wait("commit");
        std::thread::sleep(self.log.read(|log| log.delay));
        let fails = self.log.change(|log| {
            let left = log.failing.checked_sub(1);
            log.failing = left.unwrap_or(0);
            left.is_some()
        });
        if fails {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the store does not answer"));
        }
        let commit = Commit::new(nth, group, &mut self.names.lock().unwrap_or_else(PoisonError::into_inner));
        if self.log.read(|log| matches!(&log.cut, Some(Cut::Before(when)) if when(&commit))) {
            self.end();
        }
        self.make(|store| {
            let verdicts = store.commit(group)?;
            self.passed(commit, &verdicts);
            Ok(verdicts)
        })
    }

    /// A commit is durable, if it was not refused.
    fn passed(&self, commit: Commit, verdicts: &[Verdict]) {
        if verdicts.iter().any(|verdict| *verdict != Verdict::Committed) {
            self.log.change(|log| log.refused.push((commit, verdicts.to_vec())));
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
