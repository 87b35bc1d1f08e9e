//! Connections that a handler can drop in the middle of a call.
//!
//! An HTTP server always answers; a service that dies after acting does not. Here a handler pulls the [`Hangup`] of its
//! connection, and every write after that fails: the server closes the socket and the caller sees it close without one
//! byte of an answer.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Drops one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hangup(Arc<AtomicBool>);

impl Hangup {
    /// From now on nothing more reaches the caller.
    pub(crate) fn pull(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Acquire) {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "dropped on request"));
        }
        Ok(())
    }
}

impl Connected<IncomingStream<'_, HangupListener>> for Hangup {
    fn connect_info(stream: IncomingStream<'_, HangupListener>) -> Self {
        stream.io().hangup.clone()
    }
}

/// Accepts connections that can be dropped.
#[derive(Debug)]
pub(crate) struct HangupListener(pub(crate) TcpListener);

impl Listener for HangupListener {
    type Io = HangupStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        (HangupStream { stream, hangup: Hangup::default() }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// A connection that can be dropped.
#[derive(Debug)]
pub(crate) struct HangupStream {
    stream: TcpStream,
    hangup: Hangup,
}

impl AsyncRead for HangupStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for HangupStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.hangup.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.hangup.check()?;
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.hangup.check()?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
