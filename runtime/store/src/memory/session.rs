//! Sessions and shard ownership.

use std::time::Duration;

use steadfast_core::{Epoch, SessionId, ShardId, Timestamp};

use super::store::MemoryStore;
use crate::contract::{ClaimError, SessionRow, Sessions, ShardRow, StoreError, StoreErrorKind};

impl Sessions for MemoryStore {
    fn shard_count(&self) -> u16 {
        self.shards()
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.with(|backing| backing.now))
    }

    fn open_session(&self, name: &str, lease: Duration) -> Result<SessionRow, StoreError> {
        Ok(self.in_space(|space, now| {
            space.last_session = SessionId(space.last_session.0 + 1);
            let id = space.last_session;
            let row = SessionRow { id, name: name.to_owned(), expires_at: now.after(lease), ended: false };
            space.sessions.insert(id, row.clone());
            space.count_own(1);
            row
        }))
    }

    fn renew_session(&self, session: SessionId, lease: Duration) -> Result<SessionRow, ClaimError> {
        self.in_space(|space, now| {
            let row = space.sessions.get_mut(&session).ok_or(ClaimError::SessionEnded(session))?;
            row.expires_at = now.after(lease);
            let row = row.clone();
            space.count_own(1);
            Ok(row)
        })
    }

    fn end_session(&self, session: SessionId) -> Result<(), StoreError> {
        self.in_space(|space, _| {
            if space.sessions.remove(&session).is_some() {
                space.count_own(1);
            }
        });
        Ok(())
    }

    fn end_session_if_lapsed(&self, session: SessionId) -> Result<bool, StoreError> {
        Ok(self.in_space(|space, now| {
            let alive = space.sessions.get(&session).is_some_and(|row| now < row.expires_at);
            if !alive && space.sessions.remove(&session).is_some() {
                space.count_own(1);
            }
            !alive
        }))
    }

    fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        Ok(self.in_space(|space, _| space.sessions.values().cloned().collect()))
    }

    fn claim_shard(&self, session: SessionId, shard: ShardId) -> Result<ShardRow, ClaimError> {
        self.in_space(|space, _| {
            if !space.sessions.contains_key(&session) {
                return Err(ClaimError::SessionEnded(session));
            }
            let row = space.shards.get_mut(usize::from(shard.0)).ok_or_else(|| no_shard(shard))?;
            match row.owner {
                Some(owner) if owner == session => return Ok(*row),
                Some(owner) if space.sessions.contains_key(&owner) => {
                    return Err(ClaimError::Held { shard, owner });
                }
                _ => {}
            }
            row.epoch = Epoch(row.epoch.0 + 1);
            row.owner = Some(session);
            let row = *row;
            space.count_own(1);
            Ok(row)
        })
    }

    fn release_shard(&self, session: SessionId, shard: ShardId) -> Result<(), StoreError> {
        self.in_space(|space, _| {
            if let Some(row) = space.shards.get_mut(usize::from(shard.0))
                && row.owner == Some(session)
            {
                row.owner = None;
                space.count_own(1);
            }
        });
        Ok(())
    }

    fn shards(&self) -> Result<Vec<ShardRow>, StoreError> {
        Ok(self.in_space(|space, _| space.shards.clone()))
    }
}

fn no_shard(shard: ShardId) -> StoreError {
    StoreError::new(StoreErrorKind::Invalid, format!("the namespace has no shard {shard}"))
}
