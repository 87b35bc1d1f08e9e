//! A shard whose store failed: its memory is dropped, and read again later.

use std::time::Duration;

use steadfast_store::StoreError;

use super::machine::{Phase, Shard};
use crate::error::chain;
use crate::message::Fault;

/// The longest pause before a shard whose store failed is tried again.
const RETRY_MAX: Duration = Duration::from_secs(5);
const RETRY_FIRST: Duration = Duration::from_millis(50);

impl Shard {
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.phase, Phase::Broken { .. })
    }

    /// Begins to recover once the pause after a failure is over and nothing is in flight any more.
    pub(super) fn leave_broken(&mut self) {
        if let Phase::Broken { until } = self.phase
            && until <= self.now()
            && self.ledger.is_empty()
        {
            self.begin_recovery();
        }
    }

    /// The store failed: everything that was read from it is forgotten, and read again later.
    pub(super) fn break_off(&mut self, error: &StoreError) {
        self.drop_memory(&chain(error));
    }

    pub(super) fn commit_failed(&mut self, generation: u64, fault: &Fault) {
        if !self.ledger.fail(generation, fault) {
            return;
        }
        self.drop_memory(&fault.to_string());
    }

    pub(super) fn drop_memory(&mut self, why: &str) {
        let pause = RETRY_FIRST.saturating_mul(1 << self.failures.min(10)).min(RETRY_MAX);
        self.failures += 1;
        tracing::warn!(shard = %self.id, %why, ?pause, "the shard drops its memory back to the store");
        self.cache.clear();
        self.wheel.clear();
        self.blocked.clear();
        self.unreadable.clear();
        self.shared.dispatcher().forget_shard(self.id);
        self.shared.dispatcher().doubt_breakers();
        self.phase = Phase::Broken { until: self.now().after(pause) };
    }
}
