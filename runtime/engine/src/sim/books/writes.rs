//! A transition that was stored: its rows, and whether they fit each other.

use std::collections::BTreeMap;

use steadfast_core::machine::{RunState, TaskState};
use steadfast_core::{EventId, RunId, SessionId, Timestamp, codec, decode_events};
use steadfast_store::{HistoryRecord, RunHead, Transition, Write, roll};

use super::book::Books;
use super::run::RunBook;
use crate::head::{HeadBody, ItemBody, RequestOutcome};

/// What a run was like before a transition.
struct Before {
    items: BTreeMap<EventId, ItemBody>,
    events: usize,
}

impl Books {
    pub(super) fn stored(&mut self, transition: &Transition, owner: SessionId) -> Result<(), String> {
        let mut before = BTreeMap::new();
        self.find_new_runs(transition, &mut before)?;
        for write in &transition.writes {
            self.write(write, &mut before)?;
        }
        for (id, before) in before {
            // Taken out so that it can be compared with the rest of the books.
            let Some(mut run) = self.runs.remove(&id) else {
                return Err(format!("a transition changes run {id}, which has no head"));
            };
            let checked = self.check_run(&mut run, &before, owner).map_err(|problem| {
                format!("run {} of `{}`: {problem}", super::super::digest::short(id), run.workflow)
            });
            self.runs.insert(id, run);
            checked?;
        }
        Ok(())
    }

    /// Heads come last in a transition; rows before them belong to runs that are not known yet.
    fn find_new_runs(
        &mut self,
        transition: &Transition,
        before: &mut BTreeMap<RunId, Before>,
    ) -> Result<(), String> {
        for write in &transition.writes {
            let Write::PutHead(head) = write else { continue };
            let fields = decode_head(head)?.fields;
            let shard = transition.shard;
            self.runs.entry(head.run_id).or_insert_with(|| RunBook::new(shard, head.clone(), fields));
            self.remember(head.run_id, before);
        }
        Ok(())
    }

    fn remember(&self, id: RunId, before: &mut BTreeMap<RunId, Before>) {
        if let Some(run) = self.runs.get(&id) {
            before.entry(id).or_insert_with(|| Before { items: run.items(), events: run.events.len() });
        }
    }

    fn write(&mut self, write: &Write, before: &mut BTreeMap<RunId, Before>) -> Result<(), String> {
        let of = run_of(write);
        if let Some(id) = of {
            self.remember(id, before);
        }
        if let Write::PutRequest { workflow, request, row } = write {
            codec::decode::<RequestOutcome>(&row.outcome).map_err(|error| error.to_string())?;
            let known = self.requests.insert((workflow.clone(), request.clone()), row.clone());
            return match known {
                Some(known) if known != *row && known.outcome != row.outcome => {
                    Err(format!("request `{request}` of `{workflow}` has a second outcome"))
                }
                _ => Ok(()),
            };
        }
        if let Write::PutCurrent { workflow, row } = write {
            self.current.insert(workflow.clone(), row.run_id);
        }
        if let Write::PutListing(row) = write {
            self.listed.insert(row.run_id, row.status.is_open());
        }
        if let Write::PutDeadLetter(row) = write {
            self.counts.dead_letters += 1;
            if !self.dead_letters.insert((row.run_id, row.scheduled)) {
                return Err(format!("activity {} of run {} is given up twice", row.scheduled, row.run_id));
            }
        }
        match of.and_then(|id| self.runs.get_mut(&id)) {
            Some(run) => apply(run, write),
            None if of.is_some() => Err(format!("a row of a run without a head: {write:?}")),
            None => Ok(()),
        }
    }

    fn check_run(&mut self, run: &mut RunBook, before: &Before, owner: SessionId) -> Result<(), String> {
        let new = run.events.split_off(before.events);
        self.follow(run, &new)?;
        check_head(run)?;
        self.check_tasks(run, &before.items, owner)?;
        check_open(run)?;
        check_due(run)
    }
}

fn run_of(write: &Write) -> Option<RunId> {
    match write {
        Write::PutHead(head) => Some(head.run_id),
        Write::AppendHistory { run, .. }
        | Write::PutItem { run, .. }
        | Write::DeleteItem { run, .. }
        | Write::PutDue { run, .. }
        | Write::DeleteDue { run, .. }
        | Write::PutMail { run, .. }
        | Write::DeleteMail { run, .. } => Some(*run),
        Write::PutCurrent { .. }
        | Write::PutRequest { .. }
        | Write::PutListing(_)
        | Write::DeleteListing { .. }
        | Write::PutMessage { .. }
        | Write::DeleteMessage { .. }
        | Write::PutTask { .. }
        | Write::DeleteTask { .. }
        | Write::PutDeadLetter(_)
        | Write::DeleteDeadLetter { .. }
        | Write::PutBreaker(_) => None,
    }
}

fn decode_head(head: &RunHead) -> Result<HeadBody, String> {
    HeadBody::decode(&head.body).map_err(|error| format!("the head of run {}: {error}", head.run_id))
}

fn decode_item(bytes: &[u8]) -> Result<ItemBody, String> {
    codec::decode(bytes).map_err(|error| error.to_string())
}

/// Rows of one run.
fn apply(run: &mut RunBook, write: &Write) -> Result<(), String> {
    if let Write::PutHead(head) = write {
        let body = decode_head(head)?;
        run.head = head.clone();
        run.fields = body.fields;
        run.inline = body.items.into_iter().map(|item| (item.id(), item)).collect();
    } else if let Write::AppendHistory { record, .. } = write {
        append(run, record)?;
    } else if let Write::PutItem { row, .. } = write {
        run.rows.insert(row.item, decode_item(&row.body)?);
    } else if let Write::DeleteItem { item, .. } = write {
        run.rows.remove(item);
    } else if let Write::PutDue { at, .. } = write {
        run.dues.insert(*at);
    } else if let Write::DeleteDue { at, .. } = write {
        run.dues.remove(at);
    } else if let Write::PutMail { row, .. } = write {
        run.mail.insert(row.sequence);
    } else if let Write::DeleteMail { sequence, .. } = write {
        run.mail.remove(sequence);
    }
    Ok(())
}

/// A committed history only grows at its end.
fn append(run: &mut RunBook, record: &HistoryRecord) -> Result<(), String> {
    let next = run.events.len() as u64 + 1;
    if record.first.0 != next {
        return Err(format!("a record begins with event {}, the next one is {next}", record.first));
    }
    let events = decode_events(&record.body).map_err(|error| error.to_string())?;
    if events.len() as u64 != u64::from(record.count) {
        return Err(format!("a record of {} events says that it has {}", events.len(), record.count));
    }
    run.hash = roll(run.hash, &record.body);
    run.bytes += record.body.len() as u64;
    run.events.extend(events);
    Ok(())
}

fn check_head(run: &RunBook) -> Result<(), String> {
    let head = &run.head;
    let own = (run.events.len() as u64, run.hash, run.bytes);
    let said = (head.last_event.0, head.history_hash, head.history_bytes);
    if own != said {
        return Err(format!("the head says {said:?} of the history, which is {own:?}"));
    }
    let is_closed = run.machine.state() == RunState::Closed;
    if is_closed == head.status.is_open() {
        return Err(format!("the head says {:?}, the history {:?}", head.status, run.machine.state()));
    }
    if is_closed && !(run.inline.is_empty() && run.rows.is_empty() && run.mail.is_empty()) {
        return Err("the run is closed and something of it is open".to_owned());
    }
    if head.has_items == run.rows.is_empty() {
        return Err(format!("the head says {} of rows, there are {:?}", head.has_items, run.rows));
    }
    Ok(())
}

/// What the history has opened is what the engine still works on, but for ends that wait in the mailbox.
fn check_open(run: &RunBook) -> Result<(), String> {
    let items = run.items();
    if let Some(item) = items.keys().find(|item| !run.open.contains(item)) {
        return Err(format!("item {item} is worked on and is not open"));
    }
    if run.mail.is_empty()
        && let Some(item) = run.open.iter().find(|item| run.is_open() && !items.contains_key(item))
    {
        return Err(format!("item {item} is open and nobody works on it"));
    }
    Ok(())
}

/// A run that has something to do has one due key, early enough.
fn check_due(run: &RunBook) -> Result<(), String> {
    let stored: Vec<Timestamp> = run.dues.iter().copied().collect();
    if stored != run.head.due.into_iter().collect::<Vec<_>>() {
        return Err(format!("the due keys are {stored:?}, the head says {:?}", run.head.due));
    }
    match (needed_by(run), run.head.due) {
        (None, None) => Ok(()),
        (None, Some(due)) if !run.is_open() => Err(format!("the run is closed and due at {due}")),
        (Some(needed), None) => Err(format!("no due key, and something has to happen by {needed}")),
        (Some(needed), Some(due)) if due > needed => {
            Err(format!("the due key is {due}, and something has to happen by {needed}"))
        }
        (None | Some(_), Some(_)) => Ok(()),
    }
}

fn needed_by(run: &RunBook) -> Option<Timestamp> {
    if !run.is_open() {
        return None;
    }
    if run.fields.blocked.is_some() {
        return Some(Timestamp::ZERO);
    }
    let items = run.inline.values().chain(run.rows.values()).filter_map(|item| match item {
        ItemBody::Timer(timer) => Some(timer.due),
        ItemBody::Task(item) => match item.task.state {
            TaskState::Running { .. } | TaskState::Pending => Some(Timestamp::ZERO),
            TaskState::RetryWait { .. } => item.task.deadline(),
        },
    });
    let own = run.fields.deadline.as_ref().filter(|_| run.fields.imposed.is_none()).map(|own| own.at);
    items.chain(own).chain(run.fields.starts_at).min()
}
