//! What every store checks of a transition before it stores any of it, in release builds too.
//!
//! **Invariants**: event ids of a run are contiguous; a head and the history that it describes change together, and
//! the head's last event, hash and byte count are those of the history; rows name the shard that they are stored in.
//! Ownership (the epoch) is not checked here: how it is read differs from store to store.

use std::collections::BTreeMap;

use steadfast_core::{EventId, RunId};

use super::commit::{Refusal, Transition, Write};
use super::run::{HistoryRecord, RunHead};
use crate::load::roll;

/// Where the history of a run ends, as its head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HistoryEnd {
    /// The last event; 0 if there is none.
    pub last_event: EventId,
    /// The rolling hash over all record bodies.
    pub hash: u32,
    /// The sum of the lengths of all record bodies.
    pub bytes: u64,
}

impl HistoryEnd {
    /// What `head` says.
    #[must_use]
    pub fn of(head: &RunHead) -> Self {
        Self { last_event: head.last_event, hash: head.history_hash, bytes: head.history_bytes }
    }

    /// The end after one more record.
    #[must_use]
    pub fn with(self, record: &HistoryRecord) -> Self {
        Self {
            last_event: record.last(),
            hash: roll(self.hash, &record.body),
            bytes: self.bytes + record.body.len() as u64,
        }
    }
}

/// What a transition does to one run.
struct Change {
    /// After the records appended so far.
    end: HistoryEnd,
    /// Whether any were.
    appended: bool,
    /// What the newest head put says.
    head: Option<HistoryEnd>,
}

/// Checks a transition against the stored heads: `end_of` reads where a run's history ends, the default if there is
/// no head. It is asked at most once a run.
///
/// # Errors
///
/// What `end_of` returns. A transition that must not be stored is `Ok(Err(refusal))`.
pub fn check_transition<E>(
    transition: &Transition,
    shard_count: u16,
    mut end_of: impl FnMut(RunId) -> Result<HistoryEnd, E>,
) -> Result<Result<(), Refusal>, E> {
    let mut changes = BTreeMap::<RunId, Change>::new();
    let mut change_of = |changes: &mut BTreeMap<RunId, Change>, run| {
        if let std::collections::btree_map::Entry::Vacant(entry) = changes.entry(run) {
            entry.insert(Change { end: end_of(run)?, appended: false, head: None });
        }
        Ok(())
    };
    if let Some(expected) = transition.expected {
        change_of(&mut changes, expected.run)?;
        let now = changes.get(&expected.run).map_or(EventId(0), |change| change.end.last_event);
        if now != expected.last_event {
            return Ok(Err(Refusal::Moved { now }));
        }
    }
    for write in &transition.writes {
        let run = if let Write::AppendHistory { run, .. } = write {
            *run
        } else if let Write::PutHead(head) = write {
            head.run_id
        } else {
            continue;
        };
        change_of(&mut changes, run)?;
        if let Some(change) = changes.get_mut(&run)
            && let Err(refusal) = follow(change, write)
        {
            return Ok(Err(refusal));
        }
    }
    Ok(changes.values().try_for_each(fits).and_then(|()| in_place(transition, shard_count)))
}

/// Follows the history of one run through one write.
fn follow(change: &mut Change, write: &Write) -> Result<(), Refusal> {
    if let Write::PutHead(head) = write {
        change.head = Some(HistoryEnd::of(head));
    }
    let Write::AppendHistory { run, record } = write else { return Ok(()) };
    if record.count == 0 {
        return Err(Refusal::Inconsistent("a history record holds no events"));
    }
    let now = change.end.last_event;
    if record.first.0.checked_sub(1) != Some(now.0)
        || record.first.0.checked_add(u64::from(record.count)).is_none()
    {
        return Err(Refusal::NotContiguous { run: *run, now });
    }
    change.end = change.end.with(record);
    change.appended = true;
    Ok(())
}

/// Whether the head of a run that was changed says what its history is.
fn fits(change: &Change) -> Result<(), Refusal> {
    match change.head {
        None if change.appended => Err(Refusal::Inconsistent("history is appended without a new head")),
        Some(head) if head.last_event != change.end.last_event => {
            Err(Refusal::Inconsistent("the head's last event is not that of the history"))
        }
        Some(head) if head != change.end => {
            Err(Refusal::Inconsistent("the head's hash or byte count is not that of the history"))
        }
        _ => Ok(()),
    }
}

/// Whether every row stands in the shard that it names, and every shard exists.
fn in_place(transition: &Transition, shard_count: u16) -> Result<(), Refusal> {
    if transition.shard.0 >= shard_count {
        return Err(Refusal::Inconsistent("the namespace has no such shard"));
    }
    for write in &transition.writes {
        if let Write::PutMessage { to, .. } = write
            && to.0 >= shard_count
        {
            return Err(Refusal::Inconsistent("the message goes to a shard that does not exist"));
        }
        if let Write::PutTask { row, .. } = write
            && row.shard != transition.shard
        {
            return Err(Refusal::Inconsistent("the task names another shard"));
        }
        if let Write::PutDeadLetter(row) = write
            && row.shard != transition.shard
        {
            return Err(Refusal::Inconsistent("the dead letter names another shard"));
        }
    }
    Ok(())
}
