//! Namespaces: rows that map a name to the number that stands for it in keys, and what is loaded of one when it is
//! opened.

use std::ops::Bound;
use std::sync::{Arc, Mutex};

use steadfast_core::{Epoch, Namespace, ShardId};
use steadfast_store::{ShardRow, StoreError, StoreErrorKind, StoreStats};

use crate::key::{Key, Table};
use crate::open::staged;
use crate::row::{Named, NamespaceRow, OwnerRow, ProgressRow};
use crate::space::Space;
use crate::stage::Stage;
use crate::store::{Shared, SledStore, locked};
use crate::value;

const SHARDS_DEFAULT: u16 = 64;

/// Opens a namespace, or makes it.
pub(crate) fn open_namespace(
    shared: Arc<Shared>,
    namespace: Namespace,
    shard_count: Option<u16>,
) -> Result<SledStore, StoreError> {
    let row = find_or_make(&shared, &namespace, shard_count)?;
    let space = {
        let mut spaces = locked(&shared.spaces);
        match spaces.get(&row.number) {
            Some(space) => Arc::clone(space),
            None => {
                let space = Arc::new(Mutex::new(load(&shared, row)?));
                spaces.insert(row.number, Arc::clone(&space));
                space
            }
        }
    };
    Ok(SledStore::new(shared, namespace, row.number, space))
}

fn find_or_make(
    shared: &Shared,
    namespace: &Namespace,
    shard_count: Option<u16>,
) -> Result<NamespaceRow, StoreError> {
    let mut writer = shared.lock_writer()?;
    let database = shared.live()?;
    let key = Key::of_table(Table::Namespace).text(namespace.as_str());
    if let Some(found) = value::get::<Named<NamespaceRow>>(database, &key)? {
        let row = found.belonging_to(&[namespace.as_str()]).ok_or_else(|| {
            value::corrupt(Table::Namespace, key.bytes(), "it belongs to another namespace")
        })?;
        return match shard_count {
            Some(wanted) if wanted != row.shard_count => Err(StoreError::new(
                StoreErrorKind::Invalid,
                format!(
                    "namespace `{namespace}` was made with {} shards, which never changes; {wanted} were asked for",
                    row.shard_count
                ),
            )),
            _ => Ok(row),
        };
    }
    let all = Key::of_table(Table::Namespace);
    let made = value::scan::<Named<NamespaceRow>>(
        database,
        &all,
        Bound::Included(all.bytes()),
        usize::from(u16::MAX),
    )?;
    let number = u16::try_from(made.len() + 1)
        .map_err(|_| StoreError::new(StoreErrorKind::Full, "there are too many namespaces"))?;
    let row = NamespaceRow { number, shard_count: shard_count.unwrap_or(SHARDS_DEFAULT).max(1) };
    let mut stage = Stage::new(database);
    staged(stage.put(&key, &Named::new(&[namespace.as_str()], row)))?;
    let progress = ProgressRow { commits: 1, ..ProgressRow::default() };
    staged(stage.put(&Key::new(Table::Progress, number), &progress))?;
    stage.close();
    shared.write(&mut writer, stage.into_batches(), progress.last_time)?;
    Ok(row)
}

fn load(shared: &Shared, row: NamespaceRow) -> Result<Space, StoreError> {
    let database = shared.live()?;
    let progress: ProgressRow =
        value::get(database, &Key::new(Table::Progress, row.number))?.unwrap_or_default();
    let free = |shard| ShardRow { shard: ShardId(shard), epoch: Epoch(0), owner: None };
    let mut shards: Vec<ShardRow> = (0..row.shard_count).map(free).collect();
    for shard in &mut shards {
        let key = Key::in_shard(Table::Shard, row.number, shard.shard);
        if let Some(owner) = value::get::<OwnerRow>(database, &key)? {
            *shard = owner.at(shard.shard);
        }
    }
    let ahead = progress.last_time.since(shared.clock.now());
    Ok(Space { sessions: Default::default(), shards, progress, ahead, stats: StoreStats::default() })
}
