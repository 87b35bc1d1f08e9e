//! Where a shard thread works, and what its successor takes over if it does not come back from workflow code.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use steadfast_core::{RunId, ShardId};

use super::router::ThreadMessage;
use crate::message::Submission;
use crate::shard::{Desk, Estate, ShardSetup};
use crate::watch::Watch;

/// What a thread holds for others. It is in a shared place, so that it is not lost with the thread.
#[derive(Debug, Default)]
pub(super) struct Post {
    /// Transitions that were not handed to the committer yet, in order.
    pub(super) submissions: Vec<Submission>,
    /// Who waits until nothing is on its way.
    pub(super) quiet: Vec<Sender<()>>,
    /// The shards of the thread, and where their estates lie.
    pub(super) shards: BTreeMap<ShardId, (ShardSetup, Arc<Desk>)>,
}

/// What a successor begins with.
#[derive(Debug)]
pub(super) struct Inheritance {
    pub(super) submissions: Vec<Submission>,
    pub(super) quiet: Vec<Sender<()>>,
    pub(super) shards: Vec<(ShardSetup, Estate)>,
}

/// Where a shard thread works. Each thread has its own; the messages go on to the next one.
#[derive(Debug)]
pub(super) struct Seat {
    /// Locked only to wait for a message or to take one, never while a shard is stepped.
    messages: Arc<Mutex<Receiver<ThreadMessage>>>,
    pub(super) watch: Arc<Watch>,
    /// Held for one reading or one change; nothing waits while it is.
    post: Mutex<Post>,
}

impl Seat {
    pub(super) fn new(messages: Receiver<ThreadMessage>) -> Arc<Self> {
        Self::with(Arc::new(Mutex::new(messages)))
    }

    fn with(messages: Arc<Mutex<Receiver<ThreadMessage>>>) -> Arc<Self> {
        Arc::new(Self { messages, watch: Arc::default(), post: Mutex::default() })
    }

    /// The seat of the next thread.
    pub(super) fn next_seat(&self) -> Arc<Self> {
        Self::with(Arc::clone(&self.messages))
    }

    pub(super) fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn messages(&self) -> MutexGuard<'_, Receiver<ThreadMessage>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next message, waiting at most this long for it. The error is that nobody can send any more.
    pub(super) fn next(&self, wait: Option<Duration>) -> Result<Option<ThreadMessage>, ()> {
        let messages = self.messages();
        match wait {
            None => messages.recv().map(Some).map_err(|_| ()),
            Some(wait) if wait.is_zero() => match messages.try_recv() {
                Ok(message) => Ok(Some(message)),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(None),
            },
            Some(wait) => match messages.recv_timeout(wait) {
                Ok(message) => Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(()),
            },
        }
    }

    pub(super) fn try_next(&self) -> Option<ThreadMessage> {
        self.messages().try_recv().ok()
    }

    /// Everything that the thread leaves behind. Only after it was given up: then it touches nothing of this.
    pub(super) fn clear(&self, run: RunId, shard: ShardId, why: &str) -> Inheritance {
        let Post { submissions, quiet, shards } = std::mem::take(&mut *self.post());
        let shards = shards.into_iter().filter_map(|(id, (setup, desk))| {
            let estate = desk.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(mut estate) = estate else {
                // While workflow code runs, every desk has its estate.
                tracing::error!(shard = %id, "the shard left nothing behind; it stands still");
                return None;
            };
            if id == shard {
                estate.give_up(run, why);
            }
            Some((setup, estate))
        });
        Inheritance { submissions, quiet, shards: shards.collect() }
    }
}
