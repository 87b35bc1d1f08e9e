//! Which thread has which shard.

use std::sync::mpsc::Sender;

use steadfast_core::ShardId;

use crate::dispatch::Offer;
use crate::error::Unavailable;
use crate::message::{BeatFate, ShardMessage};
use crate::shard::ShardSetup;
use crate::shared::Shared;

/// What a shard thread is told.
#[derive(Debug)]
pub(crate) enum ThreadMessage {
    /// For one of its shards.
    Shard(ShardId, ShardMessage),
    /// For all of its shards: a worker started or stopped.
    WorkersChanged,
    /// A shard is this engine's now.
    Own(Box<ShardSetup>),
    /// No shard is this engine's any more.
    DisownAll,
    /// Says when nothing of its shards is on its way to the store, after all messages before this one.
    WhenQuiet(Sender<()>),
    /// The time has jumped.
    Wake,
    /// The thread ends.
    Stop,
}

/// Sends messages to the threads of shards. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Router {
    threads: Vec<Sender<ThreadMessage>>,
}

impl Router {
    pub(crate) fn new(threads: Vec<Sender<ThreadMessage>>) -> Self {
        Self { threads }
    }

    fn thread(&self, shard: ShardId) -> Option<&Sender<ThreadMessage>> {
        self.threads.get(usize::from(shard.0) % self.threads.len().max(1))
    }

    pub(crate) fn send(&self, shard: ShardId, message: ShardMessage) {
        self.send_to(shard, ThreadMessage::Shard(shard, message));
    }

    pub(crate) fn own(&self, setup: ShardSetup) {
        self.send_to(setup.shard, ThreadMessage::Own(Box::new(setup)));
    }

    fn send_to(&self, shard: ShardId, message: ThreadMessage) {
        let Some(thread) = self.thread(shard) else { return };
        if let Err(lost) = thread.send(message)
            && let ThreadMessage::Shard(_, message) = lost.0
        {
            answer(message, &Unavailable::ShuttingDown);
        }
    }

    /// Tells all threads; those that have ended need not know.
    pub(crate) fn broadcast(&self, message: impl Fn() -> ThreadMessage) {
        for thread in &self.threads {
            drop(thread.send(message()));
        }
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.threads.len()
    }
}

/// Answers a message that nobody can take. A slot that it offers goes to the next who waits for it.
pub(crate) fn refuse(message: ShardMessage, why: &Unavailable, shared: &Shared) -> Vec<Offer> {
    if let ShardMessage::Offered(offer) = message {
        return shared.dispatcher().release(offer.slot);
    }
    answer(message, why);
    Vec::new()
}

fn answer(message: ShardMessage, why: &Unavailable) {
    match message {
        ShardMessage::Call(call) => call.refuse(why.clone()),
        ShardMessage::Heartbeat { reply, .. } => {
            let _ = reply.send(BeatFate::Again);
        }
        ShardMessage::AttemptEnded { .. }
        | ShardMessage::Offered(_)
        | ShardMessage::WorkersChanged
        | ShardMessage::Committed { .. }
        | ShardMessage::Failed { .. }
        | ShardMessage::Wake => {}
    }
}
