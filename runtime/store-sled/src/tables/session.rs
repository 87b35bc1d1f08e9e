//! Sessions and shard ownership. A session lives in memory; its id, and who owns a shard, are stored.

use std::time::Duration;

use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};
use steadfast_store::{ClaimError, Refusal, SessionRow, Sessions, ShardRow, StoreError, StoreErrorKind};

use crate::key::{Key, Table};
use crate::row::OwnerRow;
use crate::stage::{Stage, Unstaged};
use crate::store::SledStore;

impl Sessions for SledStore {
    fn shard_count(&self) -> u16 {
        self.shard_count
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        self.database()?;
        Ok(self.clock())
    }

    fn open_session(&self, name: &str, lease: Duration) -> Result<SessionRow, StoreError> {
        let id = self.write(|_, outcome| {
            outcome.progress.last_session.0 += 1;
            Ok(outcome.progress.last_session)
        })?;
        let row =
            SessionRow { id, name: name.to_owned(), expires_at: self.clock().after(lease), ended: false };
        self.space().sessions.insert(id, row.clone());
        Ok(row)
    }

    fn renew_session(&self, session: SessionId, lease: Duration) -> Result<SessionRow, ClaimError> {
        self.database()?;
        let expires_at = self.clock().after(lease);
        let mut space = self.space();
        let row = space.sessions.get_mut(&session).ok_or(ClaimError::SessionEnded(session))?;
        row.expires_at = expires_at;
        Ok(row.clone())
    }

    fn end_session(&self, session: SessionId) -> Result<(), StoreError> {
        self.change(|space| drop(space.sessions.remove(&session)))
    }

    fn end_session_if_lapsed(&self, session: SessionId) -> Result<bool, StoreError> {
        let now = self.clock();
        self.change(|space| {
            let alive = space.sessions.get(&session).is_some_and(|row| now < row.expires_at);
            if !alive {
                space.sessions.remove(&session);
            }
            !alive
        })
    }

    fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.database()?;
        Ok(self.space().sessions.values().cloned().collect())
    }

    fn claim_shard(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError> {
        self.write(|stage, _| match self.claimed(session, shard) {
            Ok((row, true)) => self.put_owner(stage, row).map(|()| Ok(row)),
            Ok((row, false)) => Ok(Ok(row)),
            Err(ClaimError::Store(error)) => Err(error),
            Err(refused) => Ok(Err(refused)),
        })?
    }

    fn release_shard(&self, session: SessionId, shard: ShardId) -> Result<(), StoreError> {
        self.write(|stage, _| {
            let owned = self.space().shard(shard).filter(|row| row.owner == Some(session));
            owned.map_or(Ok(()), |row| self.put_owner(stage, ShardRow { owner: None, ..row }))
        })
    }

    fn shards(&self) -> Result<Vec<ShardRow>, StoreError> {
        self.database()?;
        Ok(self.space().shards.clone())
    }
}

impl SledStore {
    /// The row of a shard after `session` claimed it, and whether that changes it.
    fn claimed(&self, session: SessionId, shard: ShardId) -> Result<(ShardRow, bool), ClaimError> {
        let space = self.space();
        if !space.is_live(session) {
            return Err(ClaimError::SessionEnded(session));
        }
        let row = space.shard(shard).ok_or_else(|| {
            StoreError::new(StoreErrorKind::Invalid, format!("the namespace has no shard {shard}"))
        })?;
        match row.owner {
            Some(owner) if owner == session => Ok((row, false)),
            Some(owner) if space.is_live(owner) => Err(ClaimError::Held { shard, owner }),
            _ => Ok((ShardRow { shard, epoch: Epoch(row.epoch.0 + 1), owner: Some(session) }, true)),
        }
    }

    /// Stages the row of a shard. In memory it changes at once, while nobody else can claim or commit: if the write
    /// fails, the store is poisoned and nobody can afterwards either.
    fn put_owner(&self, stage: &mut Stage<'_>, row: ShardRow) -> Result<(), StoreError> {
        let key = Key::in_shard(Table::Shard, self.number, row.shard);
        stage.put(&key, &OwnerRow::of(&row)).map_err(failed)?;
        stage.close();
        if let Some(place) = self.space().shards.get_mut(usize::from(row.shard.0)) {
            *place = row;
        }
        Ok(())
    }
}

/// For rows of the store's own, which nobody can be refused.
pub(super) fn failed(unstaged: Unstaged) -> StoreError {
    match unstaged {
        Unstaged::Failed(error) => error,
        Unstaged::Refused(Refusal::Unreadable { table }) => {
            StoreError::corrupt(format!("a row of table `{table}`"), "see the log for its key")
        }
        Unstaged::Refused(refusal) => StoreError::new(StoreErrorKind::Invalid, refusal.to_string()),
    }
}
