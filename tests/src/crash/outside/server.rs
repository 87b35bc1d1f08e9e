//! The parent's end of a worker's connection.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::book::Book;
use super::call::{Answer, Request};

/// Takes the one connection of a worker and answers it until it ends. Everything that the worker sent has been taken
/// in by then.
///
/// # Errors
///
/// Fails when no connection can be taken. A connection that breaks is how a killed worker ends.
pub(crate) async fn serve(listener: TcpListener, book: Arc<Mutex<Book>>) -> io::Result<()> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    // A reset is as good as an end: the worker is gone.
    drop(answer_all(stream, &book).await);
    Ok(())
}

async fn answer_all(stream: TcpStream, book: &Mutex<Book>) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let (mut line, mut round, mut is_deaf) = (Vec::new(), 0, false);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).await?;
        if line.last() != Some(&b'\n') {
            return Ok(());
        }
        let request: Request = serde_json::from_slice(&line)?;
        let answer = match request {
            Request::Hello { round: said } => {
                round = said;
                Answer { value: 0, fails: false }
            }
            Request::Call(call) => lock(book).take(round, &call),
            Request::Beat { key, progress } => {
                lock(book).said(&key, progress);
                Answer { value: 0, fails: false }
            }
        };
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        // A worker that is gone gets no answer, but what it sent still counts.
        is_deaf = is_deaf || writer.write_all(&text).await.is_err();
    }
}

/// Only short sections hold it, none of them with an await.
fn lock(book: &Mutex<Book>) -> std::sync::MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
