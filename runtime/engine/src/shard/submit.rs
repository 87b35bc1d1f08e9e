//! Turning a unit of work into a transition.

use std::sync::Arc;

use steadfast_core::codec::{self, CodecError};
use steadfast_core::history::Event;
use steadfast_core::{EventId, RunId, encode_events};
use steadfast_store::{Expected, HistoryRecord, ItemRow, Transition, Write, roll};

use super::ledger::Entry;
use super::machine::Shard;
use super::run::LiveRun;
use super::work::Work;
use crate::client::{RunOutcome, closed_status};
use crate::head::{HeadBody, ItemBody};
use crate::message::{Effect, Fault, Submission};

/// Events of more than this are cut into several records, which are read one at a time.
const RECORD_SPLIT_BYTES: usize = 4 * 1024 * 1024;

impl Shard {
    /// Hands a unit of work to the committer, or puts the run back if nothing changed.
    pub(super) fn submit(&mut self, work: Work) {
        self.submit_with(work, Vec::new());
    }

    /// The same, with the rows of another run that belong to the same transition before it.
    pub(super) fn submit_with(&mut self, mut work: Work, before: Vec<Write>) {
        let is_nothing = !work.is_changed
            && work.events.is_empty()
            && work.writes.is_empty()
            && work.request.is_none()
            && before.is_empty();
        if is_nothing {
            let ticket = work.run.last_ticket;
            for effect in std::mem::take(&mut work.effects) {
                self.after(ticket, effect);
            }
            self.put_back(work.run);
            return;
        }
        match self.write_up(&mut work) {
            Ok(mut writes) => {
                let mut all = before;
                all.append(&mut writes);
                self.send(work, all);
            }
            Err(error) => self.give_up(work, &error),
        }
    }

    fn send(&mut self, mut work: Work, writes: Vec<Write>) {
        let expected = Expected { run: work.run.id(), last_event: work.base };
        let transition = Transition { shard: self.id, epoch: self.epoch, expected: Some(expected), writes };
        self.sabotage(&mut work.effects);
        let entry = Entry {
            run: work.run.id(),
            last_event: work.run.head.last_event,
            also: work.replaced.as_ref().map(|old| (old.id(), old.head.last_event)),
            effects: work.effects,
            current: work.current,
            request: work.request,
        };
        let ticket = self.ledger.enter(entry);
        work.run.in_flight += 1;
        work.run.last_ticket = ticket;
        let generation = self.ledger.generation;
        self.out.submissions.push(Submission { transition, generation, ticket });
        if let Some(mut old) = work.replaced {
            old.in_flight += 1;
            old.last_ticket = ticket;
            self.put_back(*old);
        }
        self.put_back(work.run);
    }

    /// Hands rows that belong to no run to the committer; the effects are held back until they are durable.
    pub(super) fn submit_rows(&mut self, writes: Vec<Write>, effects: Vec<Effect>) {
        let transition = Transition { shard: self.id, epoch: self.epoch, expected: None, writes };
        let nobody = Entry {
            run: RunId::from_bytes([0; 16]),
            last_event: EventId(0),
            also: None,
            effects,
            current: None,
            request: None,
        };
        let ticket = self.ledger.enter(nobody);
        self.out.submissions.push(Submission { transition, generation: self.ledger.generation, ticket });
    }

    /// Makes the work on a run that ends part of the transition of the run that takes its place.
    pub(super) fn fold(&mut self, mut old: Work, new: &mut Work) -> Vec<Write> {
        match self.write_up(&mut old) {
            Ok(writes) => {
                new.effects.append(&mut old.effects);
                new.replaced = Some(Box::new(old.run));
                writes
            }
            Err(error) => {
                self.give_up(old, &error);
                Vec::new()
            }
        }
    }

    /// A unit of work that no store can hold: its run is left where the store has it.
    fn give_up(&mut self, work: Work, error: &CodecError) {
        let run = work.run.id();
        tracing::error!(%run, %error, "an activation is too large to be stored; the run is blocked");
        let why = format!("an activation is too large to be stored: {error}");
        let fault = Fault::TooLarge(why.clone());
        self.unreadable.insert(run, why);
        self.shared.dispatcher().doubt_breakers();
        for effect in work.effects {
            match effect {
                Effect::Answer(answer) => answer.lose(&fault),
                Effect::Begin(attempt) => self.forget_attempt(attempt.key),
                Effect::Over(key) => self.forget_attempt(key),
                Effect::Stop(..) | Effect::Closed(_) | Effect::Unwound => {}
            }
        }
    }

    /// All rows of the run that change.
    fn write_up(&mut self, work: &mut Work) -> Result<Vec<Write>, CodecError> {
        let mut writes = std::mem::take(&mut work.writes);
        self.write_history(work, &mut writes)?;
        self.write_items(work, &mut writes)?;
        let run = &mut work.run;
        if run.head.status.is_open() {
            run.head.status = run.open_status();
        }
        self.write_due(run, &mut writes);
        let listed = (run.head.status, run.needs_attention());
        if listed != run.listed || work.is_new {
            run.listed = listed;
            writes.push(Write::PutListing(run.listing()));
        }
        if let Some((workflow, row)) = &mut work.current {
            row.status = run.head.status;
            writes.push(Write::PutCurrent { workflow: workflow.clone(), row: row.clone() });
        }
        if let Some((workflow, request, row)) = &work.request {
            let (workflow, request, row) = (workflow.clone(), request.clone(), row.clone());
            writes.push(Write::PutRequest { workflow, request, row });
        }
        run.head.has_items = run.counts.rows > 0;
        run.head.body = encode_head(run)?;
        writes.push(Write::PutHead(run.head.clone()));
        Ok(writes)
    }

    fn write_history(&self, work: &mut Work, writes: &mut Vec<Write>) -> Result<(), CodecError> {
        let run = work.run.head.run_id;
        for record in records(&work.events)? {
            let head = &mut work.run.head;
            head.history_hash = roll(head.history_hash, &record.body);
            head.history_bytes += record.body.len() as u64;
            writes.push(Write::AppendHistory { run, record });
        }
        if let Some(closing) = work.events.last()
            && let Some(status) = closed_status(&closing.kind)
        {
            let outcome = Arc::new(RunOutcome {
                run_id: run,
                status,
                closed_at: closing.at,
                last_event: closing.id,
                closing: closing.kind.clone(),
            });
            work.run.outcome = Some(Arc::clone(&outcome));
            work.effects.push(Effect::Closed(outcome));
        }
        Ok(())
    }

    fn write_items(&self, work: &mut Work, writes: &mut Vec<Write>) -> Result<(), CodecError> {
        let run = work.run.id();
        for id in std::mem::take(&mut work.touched) {
            let Some(item) = work.run.items.get_mut(&id).filter(|item| !item.is_inline) else { continue };
            item.is_stored = true;
            writes.push(Write::PutItem { run, row: ItemRow { item: id, body: codec::encode(&item.body)? } });
        }
        Ok(())
    }

    fn write_due(&mut self, run: &mut LiveRun, writes: &mut Vec<Write>) {
        let due = run.due();
        if due == run.head.due {
            return;
        }
        let id = run.id();
        writes.extend(run.head.due.map(|at| Write::DeleteDue { at, run: id }));
        writes.extend(due.map(|at| Write::PutDue { at, run: id }));
        run.head.due = due;
    }
}

/// The records of one transition: one, unless its events are large.
fn records(events: &[Event]) -> Result<Vec<HistoryRecord>, CodecError> {
    let Some(first) = events.first() else { return Ok(Vec::new()) };
    let encoded = encode_events(events);
    let is_large = encoded.as_ref().map_or(true, |body| body.len() > RECORD_SPLIT_BYTES);
    if is_large && events.len() > 1 {
        let (one, other) = events.split_at(events.len() / 2);
        let mut all = records(one)?;
        all.append(&mut records(other)?);
        return Ok(all);
    }
    let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
    Ok(vec![HistoryRecord { first: first.id, count, body: encoded? }])
}

fn encode_head(run: &LiveRun) -> Result<Vec<u8>, CodecError> {
    let inline: Vec<&ItemBody> = if run.counts.inline == 0 {
        Vec::new()
    } else {
        run.items.values().filter(|item| item.is_inline).map(|item| &item.body).collect()
    };
    HeadBody::encode(&run.fields, inline)
}
