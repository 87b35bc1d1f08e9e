//! Opening: the directory, sled on a thread of its own, the checks.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use steadfast_core::Namespace;
use steadfast_store::{StoreError, StoreErrorKind};

use crate::counter::Counter;
use crate::database::{Database, guarded};
use crate::directory::{Directory, forget, kept_place, sync_all};
use crate::envelope::FORMAT;
use crate::key::{Key, Table};
use crate::namespace::open_namespace;
use crate::options::SledOptions;
use crate::row::{FormatRow, ProgressRow, Row};
use crate::stage::{Stage, Unstaged};
use crate::store::{Shared, SledStore};
use crate::value;

/// How often sled's own lock is tried, a moment apart. Ours is held by then, so only a database of this process that
/// is still being closed can hold it.
const LOCK_TRIES: u32 = 400;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

impl SledStore {
    /// Opens a store, or makes one in an empty or missing directory.
    ///
    /// # Errors
    ///
    /// [`StoreError`] by its kind: `Held` if another process or handle holds the directory; `Foreign` if it belongs to
    /// another program or a newer version; `ReadOnly` and `Full` if it cannot be written; `Corrupt` if something in it
    /// cannot be read; `Invalid` if it is no directory or has another number of shards. In all these cases the files
    /// are left as they were.
    pub fn open(options: SledOptions) -> Result<Self, StoreError> {
        let directory = Directory::open(&options.dir)?;
        let opened = open_database(&options, directory).map_err(|error| name_kept(error, &options.dir))?;
        forget(&options.dir)?;
        let (database, directory, counter, commits) = opened;
        let chosen = (options.clock, options.probe, options.reserve_bytes);
        let shared = Arc::new(Shared::new(database, directory, counter, commits, chosen));
        open_namespace(shared, options.namespace, options.shard_count)
    }

    /// A handle for another namespace in the same directory, which is made if it is new.
    ///
    /// # Errors
    ///
    /// [`StoreErrorKind::Invalid`] if it has another number of shards.
    pub fn with_namespace(&self, namespace: Namespace, shard_count: Option<u16>) -> Result<Self, StoreError> {
        open_namespace(Arc::clone(&self.shared), namespace, shard_count)
    }
}

/// Opens the database in a locked directory and proves that it is ours and that nothing is missing.
fn open_database(
    options: &SledOptions,
    mut directory: Directory,
) -> Result<(Database, Directory, Counter, u64), StoreError> {
    let counter = Counter::open(&options.dir)?;
    let database = Database::new(open_sled(options)?, &options.dir)?;
    database.check_blobs()?;
    sync_all(&options.dir)?;
    check_format(&database, &directory)?;
    let commits = total_commits(&database)?;
    check_tail(&counter, commits, &options.dir)?;
    if directory.is_fresh() {
        check_unused(commits, &options.dir)?;
        directory.complete()?;
    }
    Ok((database, directory, counter, commits))
}

/// Says where the bytes are that sled may have overwritten.
fn name_kept(error: StoreError, dir: &Path) -> StoreError {
    let kept = kept_place(dir);
    if error.kind() != StoreErrorKind::Corrupt || !kept.exists() {
        return error;
    }
    let text = format!("{error}; the end of the log as it was before is kept in {}", kept.display());
    let named = StoreError::new(error.kind(), text);
    match std::error::Error::source(&error) {
        Some(source) => named.caused_by(source.to_string()),
        None => named,
    }
}

/// sled reports most damage by a panic, and may use much stack: so it opens on a thread of its own.
fn open_sled(options: &SledOptions) -> Result<sled::Db, StoreError> {
    let config =
        sled::Config::new().path(&options.dir).cache_capacity(options.cache_capacity).flush_every_ms(None);
    let what = format!("open the database in {}", options.dir.display());
    let open = move || {
        for _ in 1..LOCK_TRIES {
            match guarded(&what, || config.open()) {
                Err(error) if is_lock(&error) => thread::sleep(LOCK_PAUSE),
                opened => return opened,
            }
        }
        guarded(&what, || config.open())
    };
    let failed =
        |error| StoreError::new(StoreErrorKind::Unavailable, "cannot start a thread").caused_by(error);
    let opening = thread::Builder::new().name("steadfast-open".to_owned()).spawn(open).map_err(failed)?;
    opening.join().unwrap_or_else(|panic| Err(crate::error::panic_error("open the database", &*panic)))
}

fn is_lock(error: &StoreError) -> bool {
    std::error::Error::source(error)
        .is_some_and(|source| source.to_string().contains("could not acquire lock"))
}

/// Whether the database is ours; an empty one in a directory that is being made becomes it.
fn check_format(database: &Database, directory: &Directory) -> Result<(), StoreError> {
    let foreign = |why: &str| {
        let dir = directory.path().display();
        StoreError::new(StoreErrorKind::Foreign, format!("the database in {dir} is not Steadfast's: {why}"))
    };
    let key = Key::of_table(Table::Format);
    if database.other_trees() > 0 {
        return Err(foreign("it has trees of another program"));
    }
    if database.is_empty()? {
        if !directory.is_fresh() {
            let why = "it is empty, though the store was made completely";
            return Err(StoreError::corrupt(directory.path().join("db").display(), why));
        }
        return write_first(database, &key, &FormatRow { format: FORMAT });
    }
    match value::get::<FormatRow>(database, &key)? {
        Some(FormatRow { format: FORMAT }) => Ok(()),
        Some(FormatRow { format }) => Err(foreign(&format!("it has format {format}"))),
        None => Err(foreign("it holds keys of another program")),
    }
}

/// Writes a row before there is a store to write it through.
fn write_first<R: Row>(database: &Database, key: &Key, row: &R) -> Result<(), StoreError> {
    let mut stage = Stage::new(database);
    staged(stage.put(key, row))?;
    stage.close();
    for batch in stage.into_batches() {
        database.apply(batch)?;
    }
    database.flush()?;
    database.sync()
}

pub(crate) fn staged(result: Result<(), Unstaged>) -> Result<(), StoreError> {
    result.map_err(|unstaged| match unstaged {
        Unstaged::Failed(error) => error,
        Unstaged::Refused(refusal) => StoreError::new(StoreErrorKind::Corrupt, refusal.to_string()),
    })
}

/// The groups of all namespaces.
fn total_commits(database: &Database) -> Result<u64, StoreError> {
    let all = Key::of_table(Table::Progress);
    let rows = value::scan::<ProgressRow>(database, &all, value::from(&all, None), usize::from(u16::MAX))?;
    Ok(rows.iter().map(|(_, row)| row.commits).sum())
}

/// A counter that knows of more groups than the log: the log lost its tail.
fn check_tail(counter: &Counter, commits: u64, dir: &Path) -> Result<(), StoreError> {
    if counter.commits() <= commits {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Corrupt,
        format!(
            "the log in {} ends too early: it has {commits} groups, {} were durable",
            dir.join("db").display(),
            counter.commits()
        ),
    ))
}

/// An empty marker belongs to a store that was never completed, so nothing can have been stored.
fn check_unused(commits: u64, dir: &Path) -> Result<(), StoreError> {
    if commits == 0 {
        return Ok(());
    }
    Err(StoreError::corrupt(dir.join("steadfast").display(), "it is empty, but the store is not"))
}
