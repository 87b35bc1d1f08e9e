//! The committer's thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use super::router::Router;
use crate::committer::Committer;
use crate::message::Submission;
use crate::shared::Shared;

/// What the committer's thread is told.
#[derive(Debug)]
pub(crate) enum CommitMessage {
    /// Transitions of a shard thread, in order.
    Take(Vec<Submission>),
    /// The thread ends when everything before this is written.
    Stop,
}

pub(crate) type CommitSender = Sender<CommitMessage>;

/// Writes groups until it is told to stop.
pub(super) fn run(shared: &Arc<Shared>, router: &Router, messages: &Receiver<CommitMessage>) {
    let mut committer = Committer::default();
    let mut is_stopping = false;
    while !(is_stopping && committer.is_idle()) {
        if committer.is_idle() {
            match messages.recv() {
                Ok(message) => is_stopping |= take(&mut committer, message),
                Err(_) => return,
            }
        }
        while let Ok(message) = messages.try_recv() {
            is_stopping |= take(&mut committer, message);
        }
        let Some(group) = committer.next_group(shared.clock.now()) else { continue };
        shared.config.fail_point("before-commit");
        let result = shared.store.commit(&group);
        shared.config.fail_point("after-commit-before-ack");
        for (shard, message) in committer.finish(result) {
            router.send(shard, message);
        }
    }
}

/// Says whether the thread is to stop.
fn take(committer: &mut Committer, message: CommitMessage) -> bool {
    match message {
        CommitMessage::Take(submissions) => {
            for submission in submissions {
                committer.take(submission);
            }
            false
        }
        CommitMessage::Stop => true,
    }
}
