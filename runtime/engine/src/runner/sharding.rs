//! A thread that owns shards and runs their workflow code.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};

use steadfast_core::{ShardId, Timestamp};

use super::bodies::Bodies;
use super::committing::{CommitMessage, CommitSender};
use super::contained::panic_message;
use super::router::{Router, ThreadMessage, refuse};
use crate::error::Unavailable;
use crate::message::{Outputs, ShardMessage, Submission};
use crate::shard::{Shard, ShardSetup};
use crate::shared::Shared;

/// How many messages are taken before what they brought about is handed to the committer.
const MESSAGES_PER_TURN: usize = 256;

/// What the thread needs besides its messages.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) shared: Arc<Shared>,
    pub(super) router: Router,
    pub(super) bodies: Arc<Bodies>,
    pub(super) committer: CommitSender,
}

struct Thread {
    links: Links,
    shards: BTreeMap<ShardId, Shard>,
    wakes: BTreeSet<(Timestamp, ShardId)>,
    wake_of: BTreeMap<ShardId, Timestamp>,
    submissions: Vec<Submission>,
    quiet: Vec<Sender<()>>,
}

/// Steps shards until it is told to stop.
pub(super) fn run(links: Links, messages: &Receiver<ThreadMessage>) {
    let mut thread = Thread {
        links,
        shards: BTreeMap::new(),
        wakes: BTreeSet::new(),
        wake_of: BTreeMap::new(),
        submissions: Vec::new(),
        quiet: Vec::new(),
    };
    while let Ok(first) = thread.next(messages) {
        let mut next = first;
        for _ in 0..MESSAGES_PER_TURN {
            match next {
                Some(ThreadMessage::Stop) => return,
                Some(message) => thread.take(message),
                None => break,
            }
            next = messages.try_recv().ok();
        }
        if let Some(message) = next {
            if matches!(message, ThreadMessage::Stop) {
                return;
            }
            thread.take(message);
        }
        thread.wake_due();
        thread.hand_in();
    }
}

impl Thread {
    /// Waits for a message, or until the time has come for a shard. The error is that nobody can send any more.
    fn next(&self, messages: &Receiver<ThreadMessage>) -> Result<Option<ThreadMessage>, ()> {
        let wait = self.wakes.first().and_then(|(at, _)| self.links.shared.clock.wait_until(*at));
        match wait {
            None => messages.recv().map(Some).map_err(|_| ()),
            Some(wait) if wait.is_zero() => Ok(messages.try_recv().ok()),
            Some(wait) => match messages.recv_timeout(wait) {
                Ok(message) => Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(()),
            },
        }
    }

    fn take(&mut self, message: ThreadMessage) {
        match message {
            ThreadMessage::Shard(shard, message) => self.step(shard, message),
            ThreadMessage::WorkersChanged => {
                for shard in self.shards.keys().copied().collect::<Vec<_>>() {
                    self.step(shard, ShardMessage::WorkersChanged);
                }
            }
            ThreadMessage::Own(setup) => self.own(*setup),
            ThreadMessage::DisownAll => {
                for (_, shard) in std::mem::take(&mut self.shards) {
                    let outputs = shard.retire();
                    self.perform(outputs);
                }
                self.wakes.clear();
                self.wake_of.clear();
            }
            ThreadMessage::WhenQuiet(reply) => {
                self.quiet.push(reply);
                self.tell_quiet();
            }
            // Shards whose time has come are stepped after the messages.
            ThreadMessage::Wake | ThreadMessage::Stop => {}
        }
    }

    fn own(&mut self, setup: ShardSetup) {
        let id = setup.shard;
        self.shards.insert(id, Shard::new(setup));
        self.step(id, ShardMessage::WorkersChanged);
    }

    fn step(&mut self, id: ShardId, message: ShardMessage) {
        let Some(shard) = self.shards.get_mut(&id) else {
            let offer = refuse(message, &Unavailable::NotOwner(id), &self.links.shared);
            let offers = offer.into_iter().collect();
            self.perform(Outputs { offers, ..Outputs::default() });
            return;
        };
        let moment = self.links.shared.moment();
        let stepped = catch_unwind(AssertUnwindSafe(|| shard.step(message, moment)));
        let outputs = match stepped {
            Ok(outputs) => outputs,
            Err(payload) => {
                let message = panic_message(&*payload);
                tracing::error!(shard = %id, %message, "a step of a shard panicked: this is a fault of the engine");
                shard.after_panic(&message)
            }
        };
        let wake = shard.next_wake();
        self.set_wake(id, wake);
        self.perform(outputs);
        self.tell_quiet();
    }

    fn set_wake(&mut self, id: ShardId, wake: Option<Timestamp>) {
        if self.wake_of.get(&id).copied() == wake {
            return;
        }
        if let Some(old) = self.wake_of.remove(&id) {
            self.wakes.remove(&(old, id));
        }
        if let Some(at) = wake {
            self.wake_of.insert(id, at);
            self.wakes.insert((at, id));
        }
    }

    fn perform(&mut self, outputs: Outputs) {
        let Outputs { submissions, begin, stop, offers } = outputs;
        self.submissions.extend(submissions);
        for attempt in begin {
            self.links.bodies.begin(attempt);
        }
        for (key, stop) in stop {
            self.links.bodies.stop(key, stop);
        }
        for offer in offers {
            self.links.router.send(offer.task.shard, ShardMessage::Offered(offer));
        }
    }

    fn wake_due(&mut self) {
        let now = self.links.shared.clock.now();
        let due: Vec<ShardId> =
            self.wakes.iter().take_while(|(at, _)| *at <= now).map(|(_, shard)| *shard).collect();
        for shard in due {
            self.step(shard, ShardMessage::Wake);
        }
    }

    fn hand_in(&mut self) {
        if !self.submissions.is_empty() {
            // Without a committer the engine has stopped, and nobody waits for what is not durable.
            drop(self.links.committer.send(CommitMessage::Take(std::mem::take(&mut self.submissions))));
        }
    }

    fn tell_quiet(&mut self) {
        if !self.quiet.is_empty() && self.shards.values().all(Shard::is_quiet) {
            for reply in self.quiet.drain(..) {
                let _ = reply.send(());
            }
        }
    }
}
