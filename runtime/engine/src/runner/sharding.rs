//! A thread that owns shards and runs their workflow code.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use steadfast_core::panics::end_panic;
use steadfast_core::{ShardId, Timestamp};

use super::bodies::Bodies;
use super::committing::{CommitMessage, CommitSender};
use super::router::{Router, ThreadMessage, refuse};
use super::seat::{Inheritance, Seat};
use crate::error::Unavailable;
use crate::message::{Outputs, ShardMessage};
use crate::shard::{Shard, ShardSetup};
use crate::shared::Shared;

/// How many messages are taken before what they brought about is handed to the committer.
const MESSAGES_PER_TURN: usize = 256;

/// What the thread needs besides its messages.
#[derive(Debug, Clone)]
pub(super) struct Links {
    pub(super) shared: Arc<Shared>,
    pub(super) router: Router,
    pub(super) bodies: Arc<Bodies>,
    pub(super) committer: CommitSender,
}

struct Thread {
    links: Links,
    seat: Arc<Seat>,
    shards: BTreeMap<ShardId, Shard>,
    wakes: BTreeSet<(Timestamp, ShardId)>,
    wake_of: BTreeMap<ShardId, Timestamp>,
    /// Another thread has taken over: nothing more is done.
    is_given_up: bool,
}

/// Steps shards until it is told to stop, or until it comes back from workflow code to find itself given up.
pub(super) fn run(links: Links, seat: Arc<Seat>, inheritance: Option<Inheritance>) {
    seat.watch.begin();
    let mut thread = Thread {
        links,
        seat,
        shards: BTreeMap::new(),
        wakes: BTreeSet::new(),
        wake_of: BTreeMap::new(),
        is_given_up: false,
    };
    if let Some(inheritance) = inheritance {
        thread.inherit(inheritance);
    }
    while let Ok(first) = thread.next() {
        let goes_on = thread.turn(first);
        if !goes_on {
            return;
        }
    }
}

impl Thread {
    /// Takes what is there, then hands in what it brought about. Says whether the thread goes on.
    fn turn(&mut self, first: Option<ThreadMessage>) -> bool {
        let mut next = first;
        for _ in 0..MESSAGES_PER_TURN {
            match next {
                Some(ThreadMessage::Stop) => return false,
                Some(message) => self.take(message),
                None => break,
            }
            if self.is_given_up {
                return false;
            }
            next = self.seat.try_next();
        }
        if let Some(message) = next {
            if matches!(message, ThreadMessage::Stop) {
                return false;
            }
            self.take(message);
        }
        self.wake_due();
        if self.is_given_up {
            return false;
        }
        self.hand_in();
        true
    }

    /// Goes on with what another thread had to leave.
    fn inherit(&mut self, inheritance: Inheritance) {
        let Inheritance { submissions, quiet, shards } = inheritance;
        {
            let mut post = self.seat.post();
            post.submissions = submissions;
            post.quiet = quiet;
        }
        for (setup, estate) in shards {
            let watch = Arc::clone(&self.seat.watch);
            let (shard, outputs) = Shard::succeed(setup.clone(), watch, estate);
            self.perform(outputs);
            self.seat_shard(&setup, shard);
        }
        // All are seated before code of one runs, which may not come back either.
        for id in self.shards.keys().copied().collect::<Vec<_>>() {
            self.step(id, ShardMessage::WorkersChanged);
        }
        if !self.is_given_up {
            self.hand_in();
        }
    }

    /// Waits for a message, or until the time has come for a shard. The error is that nobody can send any more, or
    /// nobody listens.
    fn next(&self) -> Result<Option<ThreadMessage>, ()> {
        if self.is_given_up {
            return Err(());
        }
        let wait = self.wakes.first().and_then(|(at, _)| self.links.shared.clock.wait_until(*at));
        self.seat.next(wait)
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
                self.seat.post().shards.clear();
                self.wakes.clear();
                self.wake_of.clear();
            }
            ThreadMessage::WhenQuiet(reply) => {
                self.seat.post().quiet.push(reply);
                self.tell_quiet();
            }
            // Shards whose time has come are stepped after the messages.
            ThreadMessage::Wake | ThreadMessage::Stop => {}
        }
    }

    fn own(&mut self, setup: ShardSetup) {
        let watch = Arc::clone(&self.seat.watch);
        let id = setup.shard;
        self.seat_shard(&setup.clone(), Shard::new(setup, watch));
        self.step(id, ShardMessage::WorkersChanged);
    }

    fn seat_shard(&mut self, setup: &ShardSetup, shard: Shard) {
        let id = setup.shard;
        self.seat.post().shards.insert(id, (setup.clone(), shard.desk()));
        self.shards.insert(id, shard);
    }

    fn step(&mut self, id: ShardId, message: ShardMessage) {
        if self.is_given_up {
            return;
        }
        let Some(shard) = self.shards.get_mut(&id) else {
            let offers = refuse(message, &Unavailable::NotOwner(id), &self.links.shared);
            self.perform(Outputs { offers, ..Outputs::default() });
            return;
        };
        let moment = self.links.shared.moment();
        let stepped = catch_unwind(AssertUnwindSafe(|| shard.step(message, moment)));
        let outputs = match stepped {
            Ok(outputs) => outputs,
            // Nothing of what the step did counts: the successor has done it, or will.
            Err(_) if !self.seat.watch.leave() => {
                self.is_given_up = true;
                return;
            }
            Err(payload) => {
                let message = end_panic(payload);
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
        self.seat.post().submissions.extend(submissions);
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
        let submissions = std::mem::take(&mut self.seat.post().submissions);
        if !submissions.is_empty() {
            // Without a committer the engine has stopped, and nobody waits for what is not durable.
            drop(self.links.committer.send(CommitMessage::Take(submissions)));
        }
    }

    fn tell_quiet(&mut self) {
        let mut post = self.seat.post();
        if !post.quiet.is_empty() && self.shards.values().all(Shard::is_quiet) {
            for reply in post.quiet.drain(..) {
                let _ = reply.send(());
            }
        }
    }
}
