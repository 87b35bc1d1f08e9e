//! Where answers go.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures::channel::oneshot;

type Sender<T, E> = oneshot::Sender<Result<T, E>>;

/// Where the answer to a call goes. Copies answer the same client, and the first answer is the one that counts: a
/// thread that was given up in the middle of a call keeps its copy for ever, and its successor answers in its place.
pub(crate) struct Reply<T, E>(Arc<Mutex<Option<Sender<T, E>>>>);

impl<T, E> Clone for Reply<T, E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T, E> fmt::Debug for Reply<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl<T, E> Reply<T, E> {
    pub(crate) fn channel() -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Arc::new(Mutex::new(Some(sender)))), receiver)
    }

    /// Answers; the value comes back if nobody waits for it.
    pub(crate) fn send(self, value: Result<T, E>) -> Result<(), Result<T, E>> {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match sender {
            Some(sender) => sender.send(value),
            None => Err(value),
        }
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_canceled(&self) -> bool {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sender.as_ref().is_none_or(oneshot::Sender::is_canceled)
    }
}
