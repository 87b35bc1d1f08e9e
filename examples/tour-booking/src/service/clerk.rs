//! The one place where calls meet: a thread that decides them in order and makes them durable before it answers.
//!
//! Calls that arrive while the disk is busy are committed together, with one sync for all of them.
//!
//! **Invariant:** nothing that is not on disk leaves the clerk, `GET /books` included. When the disk fails the clerk
//! ends without answering what it held: whether that is on disk is unknown, and only a restart finds out.

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};

use super::booking::Books;
use super::call::Call;
use super::ledger::{Ledger, LedgerError};
use super::register::{Answer, Mismatch, Register};

#[cfg(test)]
mod tests;

/// Calls that may wait for the clerk before callers are held back.
const WAITING_MAX: usize = 256;
/// Calls that share one sync.
const BATCH_MAX: usize = 256;

/// Why a call got no answer of the register.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClerkError {
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// Whether the call is in the ledger is unknown.
    #[error("the ledger can't be written")]
    Gone,
}

/// Hands calls to the clerk. The clerk ends when all handles are dropped.
#[derive(Debug, Clone)]
pub(crate) struct ClerkHandle {
    messages: mpsc::Sender<Message>,
}

impl ClerkHandle {
    pub(crate) async fn call(&self, call: Call) -> Result<Answer, ClerkError> {
        let (reply, answer) = oneshot::channel();
        self.messages.send(Message::Call(call, reply)).await.map_err(|_closed| ClerkError::Gone)?;
        Ok(answer.await.map_err(|_dropped| ClerkError::Gone)??)
    }

    pub(crate) async fn books(&self) -> Result<Books, ClerkError> {
        let (reply, books) = oneshot::channel();
        self.messages.send(Message::Books(reply)).await.map_err(|_closed| ClerkError::Gone)?;
        books.await.map_err(|_dropped| ClerkError::Gone)
    }
}

/// Starts the clerk on a thread of its own. The task ends with an error when the ledger fails.
pub(crate) fn start(
    ledger: Ledger,
    register: Register,
) -> (ClerkHandle, JoinHandle<Result<(), LedgerError>>) {
    let (messages, inbox) = mpsc::channel(WAITING_MAX);
    let clerk = Clerk { ledger, register };
    (ClerkHandle { messages }, spawn_blocking(move || clerk.work(inbox)))
}

#[derive(Debug)]
enum Message {
    Call(Call, oneshot::Sender<Result<Answer, Mismatch>>),
    Books(oneshot::Sender<Books>),
}

/// An answer that waits for the disk.
enum Reply {
    Call(oneshot::Sender<Result<Answer, Mismatch>>, Result<Answer, Mismatch>),
    Books(oneshot::Sender<Books>, Books),
}

impl Reply {
    /// A caller that went away does not want its answer: what it asked for stands all the same.
    fn send(self) {
        match self {
            Self::Call(reply, answer) => drop(reply.send(answer)),
            Self::Books(reply, books) => drop(reply.send(books)),
        }
    }
}

struct Clerk {
    ledger: Ledger,
    register: Register,
}

impl Clerk {
    fn work(mut self, mut inbox: mpsc::Receiver<Message>) -> Result<(), LedgerError> {
        while let Some(first) = inbox.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH_MAX
                && let Ok(next) = inbox.try_recv()
            {
                batch.push(next);
            }
            self.settle(batch)?;
        }
        Ok(())
    }

    fn settle(&mut self, batch: Vec<Message>) -> Result<(), LedgerError> {
        let mut lines = Vec::new();
        let mut replies = Vec::with_capacity(batch.len());
        for message in batch {
            replies.push(match message {
                Message::Call(call, reply) => Reply::Call(reply, self.decide(call, &mut lines)?),
                Message::Books(reply) => Reply::Books(reply, self.register.books()),
            });
        }
        self.ledger.append(&lines)?;
        replies.into_iter().for_each(Reply::send);
        Ok(())
    }

    fn decide(&mut self, call: Call, lines: &mut Vec<u8>) -> Result<Result<Answer, Mismatch>, LedgerError> {
        match self.register.take(call) {
            Ok((entry, answer)) => self.ledger.encode(&entry, lines).map(|()| Ok(answer)),
            Err(mismatch) => Ok(Err(mismatch)),
        }
    }
}
