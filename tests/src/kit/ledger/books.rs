//! What the service has written down.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use steadfast::{RunId, Timestamp};

use super::reply::Reply;

/// A call that reached the service, whatever it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerCall {
    /// What was asked for.
    pub operation: String,
    /// The idempotency key.
    pub key: String,
    /// The key of the call that it is to undo.
    pub undoes: Option<String>,
    /// The run that it was made for.
    pub run_id: RunId,
    /// The number of the caller's attempt.
    pub attempt: u32,
    /// When, by the clock of the test.
    pub at: Timestamp,
    /// The number of the engine that called: it rises with each restart.
    pub life: u32,
    /// Whether the service has answered, be it that the answer is lost.
    pub is_answered: bool,
}

/// Something that happened in the service, once a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEffect {
    /// What happened.
    pub operation: String,
    /// Under which key.
    pub key: String,
    /// When.
    pub at: Timestamp,
    /// What it added to the balance.
    pub amount: i64,
}

#[derive(Debug, Default)]
pub(super) struct Books {
    pub(super) calls: Vec<LedgerCall>,
    pub(super) effects: Vec<LedgerEffect>,
    /// The effect of each key.
    by_key: BTreeMap<String, usize>,
    undone: BTreeSet<String>,
    /// Keys under which nothing happens any more.
    barred: BTreeSet<String>,
    scripts: BTreeMap<String, VecDeque<Reply>>,
}

impl Books {
    pub(super) fn write_script(&mut self, operation: &str, replies: impl IntoIterator<Item = Reply>) {
        self.scripts.entry(operation.to_owned()).or_default().extend(replies);
    }

    /// Writes a call down; its index, and what happens to it.
    pub(super) fn note(&mut self, call: &LedgerCall) -> (usize, Reply) {
        self.calls.push(call.clone());
        let reply = self.scripts.get_mut(&call.operation).and_then(VecDeque::pop_front);
        (self.calls.len() - 1, reply.unwrap_or(Reply::Ok))
    }

    /// Does what a call asks for, unless its key did it already; the number of the effect, or `None` if the key is
    /// barred. A call that undoes another one succeeds if there is nothing to undo, and bars that one's key.
    pub(super) fn act(&mut self, call: &LedgerCall, amount: i64) -> Option<u64> {
        if let Some(index) = self.by_key.get(&call.key) {
            return Some(*index as u64);
        }
        let Some(undone) = &call.undoes else {
            return (!self.barred.contains(&call.key)).then(|| self.take_effect(call, amount));
        };
        self.barred.insert(undone.clone());
        let is_first = self.undone.insert(undone.clone());
        let amount = self.by_key.get(undone).map_or(0, |index| self.effects[*index].amount);
        Some(self.take_effect(call, if is_first { -amount } else { 0 }))
    }

    fn take_effect(&mut self, call: &LedgerCall, amount: i64) -> u64 {
        let index = self.effects.len();
        self.by_key.insert(call.key.clone(), index);
        let LedgerCall { operation, key, at, .. } = call.clone();
        self.effects.push(LedgerEffect { operation, key, at, amount });
        index as u64
    }
}
