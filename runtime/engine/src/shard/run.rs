//! One run in memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use steadfast_core::exec::Executor;
use steadfast_core::{EventId, RunId, Timestamp};
use steadfast_store::{ListingRow, RunHead, RunStatus};

use super::items::{LiveItem, Load};
use crate::client::RunOutcome;
use crate::head::{Fields, MailBody};
use crate::wheel::Deadlines;

/// How often a run that cannot be activated was tried, and when it is tried again. Never stored.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Retry {
    pub(super) failures: u32,
    pub(super) at: Option<Timestamp>,
    /// Tried again as soon as nothing of the run is in flight: replay reads the store.
    pub(super) is_waiting: bool,
}

/// How many open items there are of each kind.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) granted: usize,
    pub(super) waiting: usize,
    /// Of those that wait: how many nobody could run.
    pub(super) marked: usize,
    pub(super) inline: usize,
    pub(super) rows: usize,
}

/// One run in memory: what the store holds of it, or will hold once all its transitions are durable.
#[derive(Debug)]
pub(super) struct LiveRun {
    pub(super) head: RunHead,
    pub(super) fields: Fields,
    pub(super) items: BTreeMap<EventId, LiveItem>,
    pub(super) counts: Counts,
    pub(super) by_engine: BTreeSet<(Timestamp, EventId)>,
    pub(super) by_wall: BTreeSet<(Timestamp, EventId)>,
    /// Mailbox rows that were not admitted, in order.
    pub(super) mail: VecDeque<(u64, MailBody)>,
    pub(super) executor: Option<Executor>,
    /// The code of the executor may have been replaced: it goes once nothing is in flight.
    pub(super) is_stale: bool,
    pub(super) retry: Retry,
    /// What the list shows.
    pub(super) listed: (RunStatus, bool),
    /// How many of its transitions are not durable yet, and the last of them.
    pub(super) in_flight: u32,
    pub(super) last_ticket: u64,
    /// The last event that is durable.
    pub(super) durable: EventId,
    /// How it ended, if it closed while in memory.
    pub(super) outcome: Option<Arc<RunOutcome>>,
}

impl LiveRun {
    pub(super) fn new(head: RunHead, fields: Fields) -> Self {
        let (status, durable) = (head.status, head.last_event);
        Self {
            head,
            fields,
            items: BTreeMap::new(),
            counts: Counts::default(),
            by_engine: BTreeSet::new(),
            by_wall: BTreeSet::new(),
            mail: VecDeque::new(),
            executor: None,
            is_stale: false,
            retry: Retry::default(),
            listed: (status, false),
            in_flight: 0,
            last_ticket: 0,
            durable,
            outcome: None,
        }
    }

    pub(super) fn id(&self) -> RunId {
        self.head.run_id
    }

    pub(super) fn is_closed(&self) -> bool {
        !self.head.status.is_open()
    }

    /// Whether the history has begun.
    pub(super) fn is_admitted(&self) -> bool {
        self.head.last_event > EventId(0)
    }

    pub(super) fn is_delayed(&self, now: Timestamp) -> bool {
        self.fields.starts_at.is_some_and(|at| at > now)
    }

    /// The state of an open run.
    pub(super) fn open_status(&self) -> RunStatus {
        if self.fields.blocked.is_some() {
            RunStatus::Blocked
        } else if self.fields.unwinding {
            RunStatus::Compensating
        } else {
            RunStatus::Running
        }
    }

    pub(super) fn needs_attention(&self) -> bool {
        !self.fields.attention.is_empty()
            || !self.fields.holds.is_empty()
            || (!self.is_closed() && (self.counts.marked > 0 || self.fields.blocked.is_some()))
    }

    /// The due key that the run has to have.
    pub(super) fn due(&self) -> Option<Timestamp> {
        if self.is_closed() {
            return None;
        }
        let has_live_work =
            self.counts.granted > 0 || self.counts.waiting > 0 || self.fields.blocked.is_some();
        if has_live_work {
            return Some(Timestamp::ZERO);
        }
        let Deadlines { engine, wall } = self.deadlines();
        [engine, wall].into_iter().flatten().min()
    }

    /// When the run has to be looked at next.
    pub(super) fn deadlines(&self) -> Deadlines {
        if self.is_closed() {
            return Deadlines::default();
        }
        let items = self.by_engine.first().map(|(at, _)| *at);
        let own = self.fields.deadline.as_ref().filter(|_| self.fields.imposed.is_none()).map(|own| own.at);
        let engine = [items, own, self.fields.starts_at, self.retry.at].into_iter().flatten().min();
        Deadlines { engine, wall: self.by_wall.first().map(|(at, _)| *at) }
    }

    pub(super) fn listing(&self) -> ListingRow {
        ListingRow {
            started_at: self.fields.started_at,
            run_id: self.head.run_id,
            workflow_id: self.head.workflow_id.clone(),
            workflow_type: self.head.workflow_type.clone(),
            status: self.head.status,
            needs_attention: self.needs_attention(),
            closed_at: self.fields.closed_at,
        }
    }

    pub(super) fn count(&mut self, load: Load, by: isize) {
        let add = |count: &mut usize| *count = count.saturating_add_signed(by);
        match load {
            Load::Idle => {}
            Load::Granted => add(&mut self.counts.granted),
            Load::Waiting => add(&mut self.counts.waiting),
            Load::Marked => {
                add(&mut self.counts.waiting);
                add(&mut self.counts.marked);
            }
        }
    }
}
