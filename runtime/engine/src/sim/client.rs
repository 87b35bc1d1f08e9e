//! A client that wants one run started, and its result.

use futures::channel::oneshot;
use steadfast_core::{RequestId, RunId};

use super::node::Node;
use crate::client::{CancelRequest, RunOutcome, RunSelector, StartRequest, Started};
use crate::error::{EndError, ReadError, StartError};
use crate::message::{Call, Reply, ShardMessage};

type Answer<T, E> = oneshot::Receiver<Result<T, E>>;

/// One run, as its client sees it.
pub(super) struct Wish {
    pub(super) request: StartRequest,
    pub(super) started: Option<RunId>,
    pub(super) outcome: Option<RunOutcome>,
    /// Whether the client will ask it to end, and whether that was acknowledged.
    pub(super) wants_cancel: bool,
    pub(super) is_cancelled: bool,
    start: Option<Answer<Started, StartError>>,
    result: Option<Answer<RunOutcome, ReadError>>,
    cancel: Option<Answer<(), EndError>>,
}

impl Wish {
    pub(super) fn new(request: StartRequest, wants_cancel: bool) -> Self {
        Self {
            request,
            started: None,
            outcome: None,
            wants_cancel,
            is_cancelled: false,
            start: None,
            result: None,
            cancel: None,
        }
    }

    pub(super) fn selector(&self) -> RunSelector {
        RunSelector { workflow_id: self.request.workflow_id.clone(), run_id: self.started }
    }

    /// Reads the answers that have come.
    pub(super) fn listen(&mut self) -> Result<(), String> {
        if let Some(answer) = poll(&mut self.start)
            && let Some(Ok(started)) = answer
        {
            if self.started.is_some_and(|before| before != started.run_id) {
                return Err(format!("`{}` was acknowledged as two runs", self.request.workflow_id));
            }
            self.started = Some(started.run_id);
        }
        if let Some(Some(Ok(outcome))) = poll(&mut self.result) {
            if self.outcome.as_ref().is_some_and(|before| *before != outcome) {
                return Err(format!("`{}` has two results", self.request.workflow_id));
            }
            self.outcome = Some(outcome);
        }
        if let Some(answer) = poll(&mut self.cancel) {
            match answer {
                Some(Ok(())) => self.is_cancelled = true,
                Some(Err(EndError::Closed { .. })) => self.wants_cancel = false,
                Some(Err(_)) | None => {}
            }
        }
        Ok(())
    }

    /// Sends the next call, also one that was sent before and not answered.
    pub(super) fn ask(&mut self, node: &mut Node, again: bool, cancel: bool) {
        let shard = self.request.workflow_id.shard(node.shared.store.shard_count());
        if self.started.is_none() || again {
            if self.start.is_none() {
                let (reply, answer) = Reply::channel();
                self.start = Some(answer);
                let call = Call::Start(Box::new(self.request.clone()), reply);
                node.post(shard, ShardMessage::Call(call));
            }
            return;
        }
        if cancel && self.wants_cancel && !self.is_cancelled && self.cancel.is_none() {
            let (reply, answer) = Reply::channel();
            self.cancel = Some(answer);
            let request = CancelRequest {
                run: self.selector(),
                reason: "simulated".to_owned(),
                request_id: RequestId::new("cancel").ok(),
            };
            node.post(shard, ShardMessage::Call(Call::Cancel(Box::new(request), reply)));
            return;
        }
        if self.result.is_none() {
            let (reply, answer) = Reply::channel();
            self.result = Some(answer);
            node.post(shard, ShardMessage::Call(Call::Result(self.selector(), reply)));
        }
    }
}

/// What came of a call: `None` if nothing yet, `Some(None)` if whoever should answer is gone.
fn poll<T>(waiting: &mut Option<oneshot::Receiver<T>>) -> Option<Option<T>> {
    let answer = match waiting.as_mut()?.try_recv() {
        Ok(None) => return None,
        Ok(Some(answer)) => Some(answer),
        Err(oneshot::Canceled) => None,
    };
    *waiting = None;
    Some(answer)
}
