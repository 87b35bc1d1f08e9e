//! The committer: gathers what waits, one group at a time.
//!
//! A lone transition goes at once; what arrives while a group is being written makes up the next group, so a crowd
//! shares a sync without anybody waiting for company.

use std::collections::{BTreeMap, VecDeque};

use steadfast_core::{ShardId, Timestamp};
use steadfast_store::{Group, StoreError, Verdict};

use crate::error::chain;
use crate::message::{Fault, ShardMessage, Submission};

/// The most transitions in a group: bounds how long the first one waits for its sync.
const GROUP_MAX: usize = 1_024;

#[derive(Debug)]
struct Sent {
    shard: ShardId,
    generation: u64,
    ticket: u64,
}

/// What the shards hand in, in order.
#[derive(Debug, Default)]
pub(crate) struct Committer {
    waiting: VecDeque<Submission>,
    /// Transitions of the group that is being written.
    sent: Vec<Sent>,
    /// Lives of shards whose later transitions build on one that was not stored.
    failed: BTreeMap<ShardId, u64>,
}

impl Committer {
    /// Takes a transition.
    pub(crate) fn take(&mut self, submission: Submission) {
        self.waiting.push_back(submission);
    }

    /// The next group, if something waits and none is being written.
    pub(crate) fn next_group(&mut self, at: Timestamp) -> Option<Group> {
        if !self.sent.is_empty() {
            return None;
        }
        let mut transitions = Vec::new();
        while transitions.len() < GROUP_MAX
            && let Some(submission) = self.waiting.pop_front()
        {
            let Submission { transition, generation, ticket } = submission;
            let shard = transition.shard;
            if self.failed.get(&shard).is_some_and(|failed| generation <= *failed) {
                // Its shard has dropped the memory that this came from.
                continue;
            }
            transitions.push(transition);
            self.sent.push(Sent { shard, generation, ticket });
        }
        (!transitions.is_empty()).then_some(Group { at, transitions })
    }

    /// The group was written, or not: what the shards are told.
    pub(crate) fn finish(
        &mut self,
        result: Result<Vec<Verdict>, StoreError>,
    ) -> Vec<(ShardId, ShardMessage)> {
        let sent = std::mem::take(&mut self.sent);
        let mut news = BTreeMap::<ShardId, ShardMessage>::new();
        let verdicts = match result {
            Ok(verdicts) => verdicts,
            Err(error) => {
                let fault = Fault::Store(chain(&error));
                for Sent { shard, generation, .. } in sent {
                    self.failed.insert(shard, generation);
                    news.insert(shard, ShardMessage::Failed { generation, fault: fault.clone() });
                }
                return news.into_iter().collect();
            }
        };
        let mut messages = Vec::new();
        for (Sent { shard, generation, ticket }, verdict) in sent.into_iter().zip(verdicts) {
            if self.failed.get(&shard).is_some_and(|failed| generation <= *failed) {
                continue;
            }
            if verdict == Verdict::Committed {
                news.insert(shard, ShardMessage::Committed { generation, through: ticket });
            } else {
                // What was committed before it counts.
                messages.extend(news.remove(&shard).map(|message| (shard, message)));
                self.failed.insert(shard, generation);
                let fault = Fault::Refused(verdict);
                messages.push((shard, ShardMessage::Failed { generation, fault }));
            }
        }
        messages.extend(news);
        messages
    }

    /// Whether nothing waits and nothing is being written.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.sent.is_empty()
    }
}
