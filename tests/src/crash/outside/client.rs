//! The worker's end: one connection for all bodies, so that the ledger sees what happened in its order.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};

use super::call::{Answer, Call, Request};

/// Those that wait for an answer, oldest first. Held for one change.
type Waiting = Mutex<VecDeque<oneshot::Sender<Answer>>>;

/// Requests that may wait for the connection.
const REQUESTS_MAX: usize = 1_024;

/// Calls the ledger. Clones share the connection.
#[derive(Debug, Clone)]
pub(crate) struct LedgerClient {
    requests: mpsc::Sender<(Request, oneshot::Sender<Answer>)>,
}

impl LedgerClient {
    /// Connects, and waits until the ledger knows of it.
    ///
    /// # Errors
    ///
    /// Fails when the ledger cannot be reached.
    pub(crate) async fn connect(address: SocketAddr, round: u32) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (reader, writer) = stream.into_split();
        let (requests, inbox) = mpsc::channel(REQUESTS_MAX);
        let waiting = Waiting::default();
        tokio::spawn(async move {
            // When one half ends the other is of no use, and dropping the inbox tells everybody.
            tokio::select! {
                sent = send_all(writer, inbox, &waiting) => sent,
                answered = hand_out_answers(reader, &waiting) => answered,
            }
        });
        let client = Self { requests };
        client.ask(Request::Hello { round }).await?;
        Ok(client)
    }

    /// Records that a body began.
    ///
    /// # Errors
    ///
    /// Fails when the connection is gone: the parent is.
    pub(crate) async fn call(&self, call: Call) -> io::Result<Answer> {
        self.ask(Request::Call(call)).await
    }

    /// Records what the next heartbeat will say.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub(crate) async fn beat(&self, key: &str, progress: u32) -> io::Result<()> {
        self.ask(Request::Beat { key: key.to_owned(), progress }).await.map(drop)
    }

    /// Waits until the connection is gone.
    pub(crate) async fn closed(&self) {
        self.requests.closed().await;
    }

    async fn ask(&self, request: Request) -> io::Result<Answer> {
        let (reply, answer) = oneshot::channel();
        self.requests.send((request, reply)).await.map_err(|_closed| gone())?;
        answer.await.map_err(|_dropped| gone())
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the ledger is gone")
}

async fn send_all(
    mut writer: OwnedWriteHalf,
    mut inbox: mpsc::Receiver<(Request, oneshot::Sender<Answer>)>,
    waiting: &Waiting,
) -> io::Result<()> {
    while let Some((request, reply)) = inbox.recv().await {
        let mut line = serde_json::to_vec(&request)?;
        line.push(b'\n');
        waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(reply);
        writer.write_all(&line).await?;
    }
    Ok(())
}

async fn hand_out_answers(reader: OwnedReadHalf, waiting: &Waiting) -> io::Result<()> {
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = serde_json::from_str(&line)?;
        let reply = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(reply) = reply {
            // A body that was dropped meanwhile needs no answer.
            drop(reply.send(answer));
        }
    }
    Ok(())
}
