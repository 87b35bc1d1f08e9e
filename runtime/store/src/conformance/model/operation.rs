//! Operations that change something.

use std::time::Duration;

use steadfast_core::{SessionId, ShardId};

use super::super::rows::{at, ok, queue, run};
use super::run::{Comparison, Pair};
use super::writes::{Maker, kind};
use crate::contract::{ClaimError, Commits, Group, Refusal, SessionRow, Sessions, TaskRow, Tasks, Verdict};

/// What must succeed at least once.
pub(super) const KINDS: &[&str] = &[
    "a session is opened",
    "a session is renewed",
    "a session is ended",
    "a lapsed session is ended",
    "a shard is claimed",
    "a shard is released",
    "tasks are claimed",
    "a task is released",
    "a transition is committed",
    "a transition of another epoch is refused",
    "a transition that came too late is refused",
    "a gap is refused",
    "a contradiction is refused",
    "the store is opened again",
];

pub(super) const QUEUES: [&str; 2] = ["tours", "other"];

impl Comparison<'_> {
    pub(super) fn operate(&mut self) {
        match self.dice.below(100) {
            0..5 => self.open_session(),
            5..8 => self.renew_session(),
            8..11 => self.end_session(),
            11..14 => self.end_if_lapsed(),
            14..26 => self.claim_shard(),
            26..29 => self.release_shard(),
            29..37 => self.claim_tasks(),
            37..42 => self.release_task(),
            42..46 => self.advance(),
            46..48 => self.reopen(),
            _ => self.commit(),
        }
    }

    /// A session that was opened, alive or not.
    fn any_session(&mut self) -> Pair {
        let newest = self.sessions.len().min(4);
        let skip = self.sessions.len() - newest;
        let index = self.dice.index(newest) + skip;
        let unknown = SessionId(77_777);
        self.sessions.get(index).copied().unwrap_or(Pair { real: unknown, model: unknown })
    }

    fn any_shard(&mut self) -> ShardId {
        ShardId(u16::try_from(self.dice.below(4)).unwrap_or(0))
    }

    fn lease(&mut self) -> Duration {
        Duration::from_secs(1 + self.dice.below(60))
    }

    /// A store that keeps its own time is followed, so that leases lapse in both or in neither.
    fn follow_clock(&self) {
        if !self.clock {
            self.model.set_now(ok(self.real().now()));
        }
    }

    fn same_session(&self, real: &SessionRow, model: &SessionRow) {
        let model = SessionRow { id: self.real_of(model.id), ..model.clone() };
        let expires_at = if self.clock { real.expires_at } else { model.expires_at };
        self.same("a session", &SessionRow { expires_at, ..real.clone() }, &model);
    }

    fn open_session(&mut self) {
        self.doing(&"open_session");
        self.follow_clock();
        let lease = self.lease();
        let real = ok(self.real().open_session("model", lease));
        let model = ok(self.model.open_session("model", lease));
        self.sessions.push(Pair { real: real.id, model: model.id });
        self.same_session(&real, &model);
        self.succeeded("a session is opened");
    }

    fn renew_session(&mut self) {
        let (pair, lease) = (self.any_session(), self.lease());
        self.doing(&("renew_session", pair, lease));
        self.follow_clock();
        let real = self.real().renew_session(pair.real, lease);
        match (real, self.model.renew_session(pair.model, lease)) {
            (Ok(real), Ok(model)) => {
                self.same_session(&real, &model);
                self.succeeded("a session is renewed");
            }
            (real, model) => self.same("renewing", &real.is_ok(), &model.is_ok()),
        }
    }

    fn end_session(&mut self) {
        let pair = self.any_session();
        self.doing(&("end_session", pair));
        ok(self.real().end_session(pair.real));
        ok(self.model.end_session(pair.model));
        self.succeeded("a session is ended");
    }

    fn end_if_lapsed(&mut self) {
        let pair = self.any_session();
        self.doing(&("end_session_if_lapsed", pair));
        self.follow_clock();
        let lived = ok(self.model.sessions()).iter().any(|row| row.id == pair.model);
        let real = ok(self.real().end_session_if_lapsed(pair.real));
        let model = ok(self.model.end_session_if_lapsed(pair.model));
        self.same("ending a lapsed session", &real, &model);
        if lived && model {
            self.succeeded("a lapsed session is ended");
        }
    }

    fn claim_shard(&mut self) {
        let (pair, shard) = (self.any_session(), self.any_shard());
        self.doing(&("claim_shard", pair, shard));
        let name = |claim| match claim {
            Ok(row) => format!("{row:?}"),
            Err(ClaimError::Held { shard, owner }) => format!("{shard} is held by {owner}"),
            Err(ClaimError::SessionEnded(_)) => "ended".to_owned(),
            Err(ClaimError::Store(error)) => panic!("the store failed: {error}"),
        };
        let real = self.real().claim_shard(pair.real, shard);
        let model = self.model.claim_shard(pair.model, shard);
        if real.is_ok() {
            self.succeeded("a shard is claimed");
        }
        let model = match model {
            Ok(mut row) => {
                row.owner = row.owner.map(|owner| self.real_of(owner));
                Ok(row)
            }
            Err(ClaimError::Held { shard, owner }) => {
                Err(ClaimError::Held { shard, owner: self.real_of(owner) })
            }
            other => other,
        };
        self.same("claiming a shard", &name(real), &name(model));
    }

    fn release_shard(&mut self) {
        let (pair, shard) = (self.any_session(), self.any_shard());
        self.doing(&("release_shard", pair, shard));
        ok(self.real().release_shard(pair.real, shard));
        ok(self.model.release_shard(pair.model, shard));
        self.succeeded("a shard is released");
    }

    pub(super) fn tasks_as_real(&self, rows: Vec<TaskRow>) -> Vec<TaskRow> {
        let real = |row: TaskRow| TaskRow { claimed_by: row.claimed_by.map(|id| self.real_of(id)), ..row };
        rows.into_iter().map(real).collect()
    }

    fn claim_tasks(&mut self) {
        let (pair, limit) = (self.any_session(), self.dice.index(4));
        let queue = queue(QUEUES[self.dice.index(QUEUES.len())]);
        self.doing(&("claim_tasks", pair, &queue, limit));
        let real = ok(self.real().claim_tasks(&queue, pair.real, limit));
        let model = ok(self.model.claim_tasks(&queue, pair.model, limit));
        self.same("claiming tasks", &real, &self.tasks_as_real(model));
        if !real.is_empty() {
            self.succeeded("tasks are claimed");
        }
    }

    fn release_task(&mut self) {
        let queue = queue(QUEUES[self.dice.index(QUEUES.len())]);
        let rows = ok(self.model.tasks(&queue, 100));
        let Some(row) = rows.get(self.dice.index(rows.len())) else { return };
        let pair = self.any_session();
        self.doing(&("release_task", pair, row));
        ok(self.real().release_task(&queue, pair.real, row.run, row.scheduled));
        ok(self.model.release_task(&queue, pair.model, row.run, row.scheduled));
        if row.claimed_by == Some(pair.model) {
            self.succeeded("a task is released");
        }
    }

    fn advance(&mut self) {
        let by = Duration::from_millis(self.dice.below(20_000));
        self.doing(&("advance", by));
        if self.harness.advance(by) {
            self.model.advance(by);
        }
    }

    fn reopen(&mut self) {
        self.doing(&"reopen");
        self.harness.reopen();
        if !self.harness.sessions_survive() {
            for row in ok(self.model.sessions()) {
                ok(self.model.end_session(row.id));
            }
        }
        self.compare_everything();
        self.succeeded("the store is opened again");
    }

    fn commit(&mut self) {
        let shards = ok(self.model.shards());
        let mut maker = Maker::new(&self.model, &mut self.dice);
        let count = 1 + maker.dice.below(4);
        let transitions = (0..count).map(|_| maker.transition(&shards)).collect();
        let group = Group { at: at(self.dice.below(1_000)), transitions };
        self.doing(&group);
        let real = ok(self.real().commit(&group));
        self.same("a commit", &real, &ok(self.model.commit(&group)));
        for (verdict, transition) in real.iter().zip(&group.transitions) {
            self.succeeded(match verdict {
                Verdict::Committed => "a transition is committed",
                Verdict::Refused(Refusal::LostShard { .. }) => "a transition of another epoch is refused",
                Verdict::Refused(Refusal::Moved { .. }) => "a transition that came too late is refused",
                Verdict::Refused(Refusal::NotContiguous { .. }) => "a gap is refused",
                Verdict::Refused(Refusal::Inconsistent(_)) => "a contradiction is refused",
                Verdict::Refused(refusal) => panic!("nothing is damaged: {refusal}"),
            });
            if *verdict == Verdict::Committed {
                transition.writes.iter().for_each(|write| self.succeeded(kind(write)));
            }
        }
        // Sometimes it is seen that nothing else changed.
        if self.dice.percent(5) {
            self.compare_everything();
        }
        let (real, model) = (
            ok(self.real().head(ShardId(0), run(1))),
            ok(crate::contract::Runs::head(&self.model, ShardId(0), run(1))),
        );
        self.same("a head", &real, &model);
    }
}
