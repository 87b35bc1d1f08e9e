//! Reads, with random arguments, of both stores.

use steadfast_core::{EventId, ShardId, Timestamp};

use super::super::rows::{at, ok, queue, request, run, workflow};
use super::super::{breakers, dead_letters, visibility};
use super::operation::QUEUES;
use super::run::Comparison;
use crate::contract::{DueEntry, ListFilter, RunStatus, SessionRow, Sessions, Store, Tasks};

/// Reads that must have found something at least once.
pub(super) const KINDS: &[&str] = &[
    "head",
    "history",
    "items",
    "current",
    "request",
    "due",
    "next_due",
    "inbox",
    "mail",
    "tasks",
    "list",
    "dead_letters",
    "dead_letter",
    "breakers",
    "sessions",
    "shards",
    "last_time",
];

impl Comparison<'_> {
    /// Compares one answer and notes the read if it found something.
    #[track_caller]
    fn answers<T: PartialEq + std::fmt::Debug>(
        &mut self,
        name: &'static str,
        read: impl Fn(&dyn Store) -> T,
        found: impl Fn(&T) -> bool,
    ) {
        let (real, model) = (read(self.real()), read(&self.model));
        self.same(name, &real, &model);
        if found(&real) {
            self.succeeded(name);
        }
    }

    pub(super) fn read(&mut self) {
        let shard = ShardId(u16::try_from(self.dice.below(4)).unwrap_or(0));
        let of = run(1 + self.dice.below(5));
        let event = EventId(self.dice.below(12));
        let limit = self.dice.index(6);
        match self.dice.below(17) {
            0 => self.answers("head", |store| ok(store.head(shard, of)), Option::is_some),
            1 => self.answers(
                "history",
                |store| ok(store.history(shard, of, event, limit)),
                |rows| !rows.is_empty(),
            ),
            2 => {
                let after = (event.0 > 0).then_some(event);
                self.answers(
                    "items",
                    |store| ok(store.items(shard, of, after, limit)),
                    |rows| !rows.is_empty(),
                );
            }
            3 => {
                self.answers("current", |store| ok(store.current(shard, &workflow("tour"))), Option::is_some)
            }
            4 => {
                let read = |store: &dyn Store| ok(store.request(shard, &workflow("tour"), &request("r-1")));
                self.answers("request", read, Option::is_some);
            }
            5 => self.read_due(shard, limit),
            6 => self.answers("inbox", |store| ok(store.inbox(shard, limit)), |rows| !rows.is_empty()),
            7 => {
                let from = self.dice.below(6);
                self.answers("mail", |store| ok(store.mail(shard, of, from, limit)), |rows| !rows.is_empty());
            }
            8 => {
                let queue = queue(QUEUES[self.dice.index(2)]);
                let (real, model) =
                    (ok(self.real().tasks(&queue, limit)), ok(self.model.tasks(&queue, limit)));
                self.same("tasks", &real, &self.tasks_as_real(model));
                if !real.is_empty() {
                    self.succeeded("tasks");
                }
            }
            9 => self.read_list(limit),
            10 => {
                let read = |store: &dyn Store| dead_letters::pages(store, limit + 1);
                self.answers("dead_letters", read, |rows| !rows.is_empty());
            }
            11 => {
                let event = EventId(1 + event.0 % 5);
                self.answers("dead_letter", |store| ok(store.dead_letter(shard, of, event)), Option::is_some);
            }
            14 => {
                let read = |store: &dyn Store| breakers::pages(store, limit + 1);
                self.answers("breakers", read, |rows| !rows.is_empty());
            }
            12 => self.read_sessions(),
            13 => self.read_shards(),
            _ => self.answers("last_time", |store| ok(store.last_time()), |time| *time > Timestamp::ZERO),
        }
    }

    fn read_due(&mut self, shard: ShardId, limit: usize) {
        let after = DueEntry { at: at(self.dice.below(5)), run: run(self.dice.below(6)) };
        let after = self.dice.percent(50).then_some(after);
        let until = at(self.dice.below(6));
        self.answers("due", |store| ok(store.due(shard, after, until, limit)), |rows| !rows.is_empty());
        self.answers("next_due", |store| ok(store.next_due(shard, after)), Option::is_some);
    }

    fn read_list(&mut self, limit: usize) {
        let mut filter = ListFilter { needs_attention: self.dice.percent(30), ..ListFilter::default() };
        if self.dice.percent(50) {
            filter.statuses = RunStatus::ALL[self.dice.index(5)..].to_vec();
        }
        self.answers("list", |store| visibility::pages(store, &filter, limit + 1), |rows| !rows.is_empty());
    }

    fn read_sessions(&mut self) {
        let (mut real, model) = (ok(self.real().sessions()), ok(self.model.sessions()));
        let mut model: Vec<_> =
            model.into_iter().map(|row| SessionRow { id: self.real_of(row.id), ..row }).collect();
        if !self.clock {
            real.iter_mut().chain(&mut model).for_each(|row| row.expires_at = Timestamp::ZERO);
        }
        real.sort_by_key(|row| row.id);
        model.sort_by_key(|row| row.id);
        self.same("sessions", &real, &model);
        if !real.is_empty() {
            self.succeeded("sessions");
        }
    }

    fn read_shards(&mut self) {
        let (real, mut model) = (ok(self.real().shards()), ok(self.model.shards()));
        for row in &mut model {
            row.owner = row.owner.map(|owner| self.real_of(owner));
        }
        self.same("shards", &real, &model);
        if real.iter().any(|row| row.owner.is_some()) {
            self.succeeded("shards");
        }
    }
}
