//! A group on its way to the store: sent, landed, answered. Other things happen in between.

use steadfast_store::{Group, StoreError, Verdict};

use super::engine::Node;

/// Where the group is that the committer gave out.
#[derive(Debug)]
pub(super) enum Line {
    /// There is none.
    Idle,
    /// It has not reached the store.
    Sent(Group),
    /// The store has answered, and the engine has not heard it.
    Landed(Result<Vec<Verdict>, StoreError>),
}

impl Line {
    pub(super) fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }
}

impl Node {
    /// Sends what waits, if nothing is on its way.
    pub(in super::super) fn send(&mut self) -> bool {
        if !self.line.is_idle() {
            return false;
        }
        let Some(group) = self.committer.next_group(self.shared.clock.now()) else { return false };
        self.line = Line::Sent(group);
        true
    }

    /// What was sent reaches the store.
    pub(in super::super) fn land(&mut self) -> bool {
        let Line::Sent(group) = &self.line else { return false };
        let result = self.shared.store.commit(group);
        self.line = Line::Landed(result);
        true
    }

    /// The store's answer reaches the engine. Says what it was.
    pub(in super::super) fn hear_answer(&mut self) -> Option<String> {
        if !matches!(self.line, Line::Landed(_)) {
            return None;
        }
        let Line::Landed(result) = std::mem::replace(&mut self.line, Line::Idle) else { return None };
        if self.fuse.is_dead() {
            return None;
        }
        let text = match &result {
            Ok(verdicts) if verdicts.iter().all(|verdict| *verdict == Verdict::Committed) => {
                format!("{} committed", verdicts.len())
            }
            other => {
                self.counts.failed_commits += 1;
                format!("{other:?}")
            }
        };
        for (shard, message) in self.committer.finish(result) {
            self.post(shard, message);
        }
        Some(text)
    }

    /// What is on its way to the store when the engine is gone: it may arrive all the same.
    pub(in super::super) fn take_sent(&mut self) -> Option<Group> {
        match std::mem::replace(&mut self.line, Line::Idle) {
            Line::Sent(group) => Some(group),
            Line::Idle | Line::Landed(_) => None,
        }
    }
}
