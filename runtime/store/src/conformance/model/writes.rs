//! Random transitions: mostly right, sometimes wrong in one way.

use std::collections::BTreeMap;

use steadfast_core::{EventId, RunId, ShardId, Timestamp};

use super::super::rows::{
    Story, at, breaker, bytes, current, dead_letter, item, listing, mail, message, ok, outcome, queue,
    request, run, task, workflow,
};
use super::operation::QUEUES;
use crate::contract::{
    BreakerRow, DeadLetterRow, Expected, HistoryEnd, HistoryRecord, RunStatus, Runs, ShardRow, TaskRow,
    Transition, Write,
};
use crate::dice::Dice;
use crate::memory::MemoryStore;

macro_rules! kinds {
    ($($variant:ident)*) => {
        /// The kinds of writes.
        pub(super) const KINDS: &[&str] = &[$(stringify!($variant)),*];

        pub(super) fn kind(write: &Write) -> &'static str {
            match write { $(Write::$variant { .. } => stringify!($variant),)* }
        }
    };
}

kinds! {
    PutHead AppendHistory PutItem DeleteItem PutCurrent PutRequest PutDue DeleteDue PutListing DeleteListing
    PutMail DeleteMail PutMessage DeleteMessage PutTask DeleteTask PutDeadLetter DeleteDeadLetter
    PutBreaker
}

/// Makes transitions that build on what the model holds and on those made before in the same group.
pub(super) struct Maker<'m> {
    model: &'m MemoryStore,
    pub(super) dice: &'m mut Dice,
    stories: BTreeMap<(ShardId, RunId), Story>,
}

impl<'m> Maker<'m> {
    pub(super) fn new(model: &'m MemoryStore, dice: &'m mut Dice) -> Self {
        Self { model, dice, stories: BTreeMap::new() }
    }

    pub(super) fn transition(&mut self, shards: &[ShardRow]) -> Transition {
        let shard = ShardId(u16::try_from(self.dice.below(4)).unwrap_or(0));
        let mut epoch = shards[usize::from(shard.0)].epoch;
        if self.dice.percent(5) {
            epoch.0 = (epoch.0 + self.dice.below(3)).saturating_sub(1);
        }
        let (of, mut story) = self.story(shard);
        let expected = self.dice.percent(50).then(|| story.expected());
        let mut writes = Vec::new();
        if self.dice.percent(60) {
            writes.extend(self.history(&mut story));
        }
        let expected = match expected {
            Some(mut wrong) if self.dice.percent(15) => {
                wrong.last_event = EventId(self.dice.below(9));
                Some(wrong)
            }
            other => other,
        };
        for _ in 0..self.dice.below(5) {
            writes.push(self.write(shard, of));
        }
        if expected.is_none_or(|expected: Expected| expected.last_event <= story.end.last_event) {
            self.stories.insert((shard, of), story);
        }
        Transition { shard, epoch, expected, writes }
    }

    fn story(&mut self, shard: ShardId) -> (RunId, Story) {
        let of = self.any_run();
        let stored = || {
            let head = ok(self.model.head(shard, of));
            Story { run: of, end: head.as_ref().map(HistoryEnd::of).unwrap_or_default() }
        };
        (of, self.stories.get(&(shard, of)).cloned().unwrap_or_else(stored))
    }

    fn any_run(&mut self) -> RunId {
        run(1 + self.dice.below(5))
    }

    fn event(&mut self) -> EventId {
        EventId(1 + self.dice.below(5))
    }

    fn time(&mut self) -> Timestamp {
        at(self.dice.below(5))
    }

    /// Mostly small, sometimes larger than any store keeps in one piece.
    fn length(&mut self) -> usize {
        if self.dice.percent(10) { self.dice.index(12_000) } else { self.dice.index(60) }
    }

    /// Records and a head; in some cases with a gap, or a head that does not fit.
    fn history(&mut self, story: &mut Story) -> Vec<Write> {
        let mut writes = Vec::new();
        let before = story.clone();
        for _ in 0..self.dice.below(3) {
            let count = 1 + u32::try_from(self.dice.below(3)).unwrap_or(0);
            let body = bytes(self.length(), self.dice.below(1_000));
            writes.push(story.append(count, body));
        }
        let mut end = story.end;
        match self.dice.below(20) {
            0 => end.hash ^= 1,
            1 => end.last_event = end.last_event.next(),
            2 => {
                let first = EventId(before.end.last_event.0 + 2 + self.dice.below(3));
                let record = HistoryRecord { first, count: 1, body: Vec::new() };
                writes.insert(0, Write::AppendHistory { run: story.run, record });
            }
            3 => return writes,
            _ => {}
        }
        let mut head = super::super::rows::head(story.run, end, bytes(self.length(), 1));
        head.status = RunStatus::ALL[self.dice.index(RunStatus::ALL.len())];
        head.due = self.dice.percent(50).then(|| self.time());
        writes.push(Write::PutHead(head));
        writes
    }

    fn write(&mut self, shard: ShardId, of: RunId) -> Write {
        let event = self.event();
        let sequence = self.dice.below(6);
        match self.dice.below(17) {
            0 => Write::PutItem { run: of, row: item(event.0, self.length()) },
            1 => Write::DeleteItem { run: of, item: event },
            2 => Write::PutCurrent { workflow: workflow("tour"), row: current(of) },
            3 => Write::PutRequest {
                workflow: workflow("tour"),
                request: request("r-1"),
                row: outcome(of, self.length()),
            },
            4 => Write::PutDue { at: self.time(), run: of },
            5 => Write::DeleteDue { at: self.time(), run: of },
            6 => {
                let mut row = listing(self.dice.below(5), of);
                row.needs_attention = self.dice.percent(50);
                row.status = RunStatus::ALL[self.dice.index(RunStatus::ALL.len())];
                Write::PutListing(row)
            }
            7 => Write::DeleteListing { started_at: self.time(), run: of },
            8 => Write::PutMail { run: of, row: mail(sequence) },
            9 => Write::DeleteMail { run: of, sequence },
            10 => {
                let to = ShardId(u16::try_from(self.dice.below(4)).unwrap_or(0));
                Write::PutMessage { to, row: message(of, sequence) }
            }
            11 => Write::DeleteMessage { from: of, sequence },
            12 => {
                let row = TaskRow { shard, ..task(of, event.0, self.dice.below(5)) };
                Write::PutTask { queue: queue(QUEUES[self.dice.index(2)]), row }
            }
            13 => Write::DeleteTask { queue: queue(QUEUES[self.dice.index(2)]), run: of, scheduled: event },
            14 => {
                let body = bytes(self.length(), 2);
                Write::PutDeadLetter(DeadLetterRow { body, ..dead_letter(shard, of, event.0) })
            }
            15 => Write::DeleteDeadLetter { run: of, scheduled: event },
            _ => {
                let activity = ["charge", "refund"][self.dice.index(2)];
                let body = bytes(self.length(), 2);
                Write::PutBreaker(BreakerRow { body, ..breaker(activity, "", self.dice.below(9)) })
            }
        }
    }
}
