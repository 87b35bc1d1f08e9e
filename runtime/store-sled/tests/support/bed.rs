//! A sled store in a directory of its own, as the suite and the other tests see it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use steadfast_core::{Epoch, Namespace, SessionId, ShardId, Timestamp};
use steadfast_store::conformance::{Damaged, Harness};
use steadfast_store::{Commits, Group, Sessions, Store, StoreError, Transition, Verdict, Write};
use steadfast_store_sled::{Clock, SledOptions, SledStore};
use tempfile::TempDir;

/// A store whose clock stands still until it is moved.
pub(crate) struct Sled {
    dir: TempDir,
    clock: Arc<AtomicU64>,
    /// Empty only while it is being opened again.
    store: Option<SledStore>,
}

pub(crate) fn namespace(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

pub(crate) fn options(dir: &Path) -> SledOptions {
    let mut options = SledOptions::new(dir, namespace("test"));
    options.shard_count = Some(4);
    options.cache_capacity = 16 * 1024 * 1024;
    options
}

impl Sled {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(AtomicU64::new(1_000_000_000_000));
        let mut sled = Self { dir: TempDir::new().unwrap(), clock, store: None };
        sled.open();
        sled
    }

    fn open(&mut self) {
        let mut options = options(&self.path());
        let clock = Arc::clone(&self.clock);
        options.clock = Clock::from_fn(move || Timestamp::from_micros(clock.load(Ordering::Relaxed)));
        self.store = Some(SledStore::open(options).unwrap());
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    pub(crate) fn sled(&self) -> &SledStore {
        self.store.as_ref().unwrap()
    }

    /// Works on sled's own database while the store is closed.
    pub(crate) fn behind_its_back<T>(&mut self, work: impl FnOnce(&sled::Db) -> T) -> T {
        self.store = None;
        let done = with_raw(&self.path(), work);
        self.open();
        done
    }
}

/// Opens the database of a closed store without the store around it.
pub(crate) fn with_raw<T>(dir: &Path, work: impl FnOnce(&sled::Db) -> T) -> T {
    let config = sled::Config::new().path(dir).flush_every_ms(None);
    // A store that was just closed may hold the lock for a moment.
    let db = (0..400).find_map(|_| {
        let opened = config.open().ok();
        if opened.is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        opened
    });
    let db = db.unwrap();
    let done = work(&db);
    db.flush().unwrap();
    done
}

/// The first byte of the keys of a table.
pub(crate) fn table_number(row: Damaged) -> u8 {
    match row {
        Damaged::Head => 5,
        Damaged::History => 6,
        Damaged::Item => 7,
        Damaged::Listing => 11,
        Damaged::Mail => 12,
        Damaged::Inbox => 13,
        Damaged::DeadLetter => 15,
        Damaged::Breaker => 17,
        other => panic!("{other:?} is new"),
    }
}

impl Harness for Sled {
    fn store(&self) -> &dyn Store {
        self.sled()
    }

    fn reopen(&mut self) {
        self.store = None;
        self.open();
    }

    fn advance(&mut self, by: Duration) -> bool {
        let micros = u64::try_from(by.as_micros()).unwrap();
        self.clock.fetch_add(micros, Ordering::Relaxed);
        true
    }

    fn other_namespace(&mut self) -> Option<Box<dyn Store>> {
        Some(Box::new(self.sled().with_namespace(namespace("other"), Some(4)).unwrap()))
    }

    fn sessions_survive(&self) -> bool {
        false
    }

    fn damage(&mut self, row: Damaged) -> bool {
        self.behind_its_back(|db| {
            let (key, value) = db.scan_prefix([table_number(row)]).next().unwrap().unwrap();
            let mut bytes = value.to_vec();
            let last = bytes.len() - 1;
            bytes[last] ^= 0x10;
            db.insert(key, bytes).unwrap();
        });
        true
    }
}

/// A session that owns all shards of a store.
pub(crate) struct Owner {
    pub(crate) session: SessionId,
    epochs: Vec<Epoch>,
}

impl Owner {
    pub(crate) fn of(store: &SledStore) -> Self {
        let session = store.open_session("test", Duration::from_secs(600)).unwrap().id;
        let shards = (0..store.shard_count()).map(ShardId);
        let epochs = shards.map(|shard| store.claim_shard(session, shard).unwrap().epoch).collect();
        Self { session, epochs }
    }

    pub(crate) fn transition(&self, writes: Vec<Write>) -> Transition {
        Transition { shard: ShardId(0), epoch: self.epochs[0], expected: None, writes }
    }

    pub(crate) fn try_commit(
        &self,
        store: &SledStore,
        writes: Vec<Write>,
    ) -> Result<Vec<Verdict>, StoreError> {
        let group = Group { at: Timestamp::from_micros(1), transitions: vec![self.transition(writes)] };
        store.commit(&group)
    }

    pub(crate) fn commit(&self, store: &SledStore, writes: Vec<Write>) {
        assert_eq!(self.try_commit(store, writes).unwrap(), [Verdict::Committed]);
    }
}
