//! Messages, and what follows from them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use steadfast_core::ShardId;

use super::engine::{Node, Running};
use crate::activity::{AttemptKey, Stop};
use crate::message::{Outputs, ShardMessage};
use crate::session::Tenure;
use crate::shard::{Shard, ShardSetup};

impl Node {
    pub(super) fn hear(&mut self, news: Vec<Tenure>) {
        for tenure in news {
            match tenure {
                Tenure::Owned { shard, epoch, session } => {
                    let shared = Arc::clone(&self.shared);
                    let setup = ShardSetup { shared, shard, epoch, session, seed: self.seed };
                    self.shards.insert(shard, Shard::new(setup, self.trap.watch()));
                    self.post(shard, ShardMessage::WorkersChanged);
                }
                Tenure::Lost => self.lose_all(),
            }
        }
        self.thief.watch(self.keeper.session());
    }

    fn lose_all(&mut self) {
        for running in std::mem::take(&mut self.running).into_values() {
            self.run_away(running);
        }
        for (_, shard) in std::mem::take(&mut self.shards) {
            let outputs = shard.retire();
            self.perform(outputs);
        }
        // Offered slots go back; other messages of the lost shards are refused.
        for (shard, messages) in std::mem::take(&mut self.inboxes) {
            for message in messages {
                self.step(shard, message);
            }
        }
    }

    pub(in super::super) fn post(&mut self, shard: ShardId, message: ShardMessage) {
        self.inboxes.entry(shard).or_default().push_back(message);
    }

    /// The next message of a shard, taken out.
    pub(in super::super) fn take_message(&mut self, shard: ShardId) -> Option<ShardMessage> {
        let message = self.inboxes.get_mut(&shard).and_then(std::collections::VecDeque::pop_front);
        self.inboxes.retain(|_, messages| !messages.is_empty());
        message
    }

    pub(in super::super) fn step(&mut self, id: ShardId, message: ShardMessage) {
        let moment = self.shared.moment();
        let Some(shard) = self.shards.get_mut(&id) else {
            let offers =
                crate::runner::refuse(message, &crate::error::Unavailable::NotOwner(id), &self.shared);
            for offer in offers {
                self.post(offer.task.shard, ShardMessage::Offered(offer));
            }
            return;
        };
        let stepped = catch_unwind(AssertUnwindSafe(|| shard.step(message, moment)));
        match stepped {
            Ok(outputs) => self.perform(outputs),
            Err(_) if !self.trap.watch().leave() => self.succeed(),
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
                self.fault = Some(format!("a step of shard {id} panicked: {text}"));
            }
        }
    }

    /// Workflow code did not come back: all shards begin anew on another thread. The code is tried again here.
    fn succeed(&mut self) {
        self.counts.successions += 1;
        self.trap.renew();
        for (id, shard) in std::mem::take(&mut self.shards) {
            let (setup, estate) = shard.leave(self.seed);
            let (shard, outputs) = Shard::succeed(setup, self.trap.watch(), estate);
            self.shards.insert(id, shard);
            self.perform(outputs);
            self.post(id, ShardMessage::WorkersChanged);
        }
    }

    fn perform(&mut self, outputs: Outputs) {
        if self.fuse.is_dead() {
            return;
        }
        let Outputs { submissions, begin, stop, offers } = outputs;
        for submission in submissions {
            self.committer.take(submission);
        }
        for attempt in begin {
            self.counts.attempts += 1;
            self.begun.push((attempt.key, attempt.info.clone()));
            self.running.insert(attempt.key, Running { attempt, is_cancelled: false });
        }
        for (key, stop) in stop {
            self.stop(key, stop);
        }
        for offer in offers {
            self.post(offer.task.shard, ShardMessage::Offered(offer));
        }
    }

    fn stop(&mut self, key: AttemptKey, stop: Stop) {
        match stop {
            Stop::Run => {}
            Stop::Cancel => {
                if let Some(running) = self.running.get_mut(&key) {
                    running.is_cancelled = true;
                }
            }
            Stop::Abandon(_) | Stop::HandBack | Stop::Drop => {
                if let Some(running) = self.running.remove(&key) {
                    self.counts.stopped += 1;
                    self.run_away(running);
                }
            }
        }
    }

    /// A body is told to stop; now and then it comes to its end at that very moment.
    fn run_away(&mut self, running: Running) {
        if self.dice.percent(30) && self.runaways.len() < 16 {
            self.runaways.push(running);
        }
    }

    /// Renews the session and claims shards, if the time has come.
    pub(in super::super) fn keep(&mut self) -> bool {
        let now = self.shared.clock.now();
        if self.keeper.next_wake() > now {
            return false;
        }
        let news = self.keeper.step(&*self.shared.store, now);
        self.hear(news);
        true
    }

    /// A shard whose time has come.
    pub(in super::super) fn due_shard(&self) -> Option<ShardId> {
        let now = self.shared.clock.now();
        self.shards.iter().find(|(_, shard)| shard.next_wake().is_some_and(|at| at <= now)).map(|(id, _)| *id)
    }
}
