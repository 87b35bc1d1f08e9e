//! The session keeper's thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};

use super::bodies::Bodies;
use super::router::{Router, ThreadMessage};
use crate::activity::Stop;
use crate::session::{SessionKeeper, Tenure};
use crate::shard::ShardSetup;
use crate::shared::Shared;

/// What the keeper's thread is told.
#[derive(Debug)]
pub(crate) enum KeepMessage {
    /// The time has jumped.
    Wake,
    /// The session ends, and the thread with it.
    End(Sender<()>),
    /// The thread ends; the session is left as it is.
    Stop,
}

/// What the thread needs besides its messages.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) shared: Arc<Shared>,
    pub(super) router: Router,
    pub(super) bodies: Arc<Bodies>,
    pub(super) seed: u64,
}

impl Links {
    /// Tells the shard threads what this engine owns.
    pub(super) fn pass_on(&self, news: Vec<Tenure>) {
        for tenure in news {
            match tenure {
                Tenure::Owned { shard, epoch, session } => {
                    let shared = Arc::clone(&self.shared);
                    self.router.own(ShardSetup { shared, shard, epoch, session, seed: self.seed });
                }
                Tenure::Lost => {
                    self.router.broadcast(|| ThreadMessage::DisownAll);
                    self.bodies.stop_all(Stop::Drop);
                }
            }
        }
    }
}

/// Keeps the session until it is told to stop.
pub(super) fn run(links: &Links, mut keeper: SessionKeeper, messages: &Receiver<KeepMessage>) {
    let store = &*links.shared.store;
    loop {
        let wait = links.shared.clock.wait_until(keeper.next_wake());
        let message = match wait {
            Some(wait) => match messages.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => KeepMessage::Wake,
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => message,
            },
            None => match messages.recv() {
                Ok(message) => message,
                Err(_) => return,
            },
        };
        match message {
            KeepMessage::Wake => links.pass_on(keeper.step(store, links.shared.clock.now())),
            KeepMessage::End(reply) => {
                keeper.end(store);
                let _ = reply.send(());
                return;
            }
            KeepMessage::Stop => return,
        }
    }
}
