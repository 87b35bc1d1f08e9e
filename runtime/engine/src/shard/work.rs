//! One unit of work on a run: what becomes one transition.

use std::collections::{BTreeSet, VecDeque};

use steadfast_core::history::{Event, EventKind};
use steadfast_core::{EventId, RequestId, WorkflowId};
use steadfast_store::{CurrentRow, RequestRow, Write};

use super::run::LiveRun;
use crate::activity::AttemptKey;
use crate::head::MailBody;
use crate::message::Effect;
use crate::registry::WorkerId;

/// An input on its way into the history.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) body: MailBody,
    /// Its mailbox row, if it has one.
    pub(super) row: Option<u64>,
}

/// A slot that this unit of work gives back, unless it uses it again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spare {
    pub(super) key: AttemptKey,
    pub(super) worker: WorkerId,
}

/// One unit of work on a run. It is either submitted, or the run is put back unchanged.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) run: LiveRun,
    /// The last event when the work began.
    pub(super) base: EventId,
    /// Inputs that wait to be appended, in order.
    pub(super) inputs: VecDeque<Queued>,
    /// Events appended by this work.
    pub(super) events: Vec<Event>,
    /// Rows besides the run's own.
    pub(super) writes: Vec<Write>,
    pub(super) current: Option<(WorkflowId, CurrentRow)>,
    pub(super) request: Option<(WorkflowId, RequestId, RequestRow)>,
    pub(super) effects: Vec<Effect>,
    /// Items whose row may have to be written.
    pub(super) touched: BTreeSet<EventId>,
    pub(super) spare: Option<Spare>,
    /// Whether anything is to be stored.
    pub(super) is_changed: bool,
    /// Whether the run is being started.
    pub(super) is_new: bool,
    /// The run that was ended to make room for this one, in the same transition.
    pub(super) replaced: Option<Box<LiveRun>>,
}

impl Work {
    pub(super) fn new(run: LiveRun) -> Self {
        let base = run.head.last_event;
        Self {
            run,
            base,
            inputs: VecDeque::new(),
            events: Vec::new(),
            writes: Vec::new(),
            current: None,
            request: None,
            effects: Vec::new(),
            touched: BTreeSet::new(),
            spare: None,
            is_changed: false,
            is_new: false,
            replaced: None,
        }
    }

    /// Adds an input that just arrived.
    pub(super) fn arrive(&mut self, input: impl Into<EventKind>) {
        self.inputs.push_back(Queued { body: MailBody::Input(Box::new(input.into())), row: None });
    }

    /// Appends events to the history.
    pub(super) fn append(&mut self, events: Vec<Event>) {
        if let Some(last) = events.last() {
            self.run.head.last_event = last.id;
            self.run.fields.last_at = last.at;
            self.is_changed = true;
        }
        self.events.extend(events);
    }

    /// An item was changed.
    pub(super) fn touch(&mut self, id: EventId) {
        self.run.reindex(id);
        self.touched.insert(id);
        self.is_changed = true;
    }

    /// An item is over.
    pub(super) fn remove_item(&mut self, id: EventId) {
        let Some(item) = self.run.remove_item(id) else { return };
        self.touched.remove(&id);
        if item.is_stored {
            self.writes.push(Write::DeleteItem { run: self.run.id(), item: id });
        }
        self.is_changed = true;
    }
}
