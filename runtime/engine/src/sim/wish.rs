//! A client that wants one run started, maybe ended, and its result.

use futures::channel::oneshot;
use steadfast_core::history::{Event, EventKind};
use steadfast_core::{RequestId, RunId, WorkflowId};

use super::books::Books;
use super::dice::Dice;
use super::node::Node;
use super::plan::Simulation;
use crate::client::{
    CancelRequest, RunDescription, RunOutcome, RunSelector, StartRequest, Started, TerminateRequest,
};
use crate::error::{EndError, ReadError, StartError};
use crate::message::{Call, Reply, ShardMessage};

type Answer<T, E> = oneshot::Receiver<Result<T, E>>;

/// What [`Heard::what`] is for a cancel and for a termination.
pub(super) const CANCELLED: u64 = 2;
pub(super) const TERMINATED: u64 = 3;

/// What a client was answered.
pub(super) struct Heard {
    pub(super) what: u64,
    pub(super) text: String,
}

/// What a client asked for.
pub(super) struct Asked {
    pub(super) what: u64,
    pub(super) text: String,
    /// Whether it had asked before.
    pub(super) is_repeated: bool,
}

/// Whether the client will ask the run to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Leave,
    Cancel,
    Terminate,
}

/// One run, as its client sees it.
pub(super) struct Wish {
    pub(super) request: StartRequest,
    started: Option<RunId>,
    outcome: Option<RunOutcome>,
    ending: Ending,
    /// Whether the wish for an end was acknowledged, and the answers that were awaited.
    is_ended: bool,
    was_asked: bool,
    start: Option<Answer<Started, StartError>>,
    result: Option<Answer<RunOutcome, ReadError>>,
    end: Option<Answer<(), EndError>>,
    description: Option<Answer<RunDescription, ReadError>>,
    history: Option<Answer<Vec<Event>, ReadError>>,
}

impl Wish {
    pub(super) fn draw(request: StartRequest, plan: &Simulation, dice: &mut Dice) -> Self {
        let ending = match dice.below(100) {
            drawn if drawn < plan.cancel_percent => Ending::Cancel,
            drawn if drawn < plan.cancel_percent + plan.terminate_percent => Ending::Terminate,
            _ => Ending::Leave,
        };
        Self {
            request,
            started: None,
            outcome: None,
            ending,
            is_ended: false,
            was_asked: false,
            start: None,
            result: None,
            end: None,
            description: None,
            history: None,
        }
    }

    /// Whether the client has its result.
    pub(super) fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    fn workflow(&self) -> &WorkflowId {
        &self.request.workflow_id
    }

    fn selector(&self) -> RunSelector {
        RunSelector { workflow_id: self.workflow().clone(), run_id: self.started }
    }

    /// The id of the request that ends the run: another one for each client of the same workflow.
    fn end_id(&self) -> Option<RequestId> {
        let own = self.request.request_id.as_ref()?;
        RequestId::new(format!("end {own}")).ok()
    }

    /// Sends the next call, also one that was sent before and not answered.
    pub(super) fn ask(&mut self, node: &mut Node, dice: &mut Dice, is_calm: bool) -> Option<Asked> {
        let draw = dice.below(100);
        let shard = self.workflow().shard(node.shared.store.shard_count());
        let (what, is_repeated, call) = if self.started.is_none() || draw < 5 {
            let (reply, answer) = Reply::channel();
            // An answer that did not come yet is not awaited any more: the client asks anew.
            if self.start.is_some() && !dice.percent(20) {
                return None;
            }
            self.start = Some(answer);
            let is_repeated = std::mem::replace(&mut self.was_asked, true);
            (1, is_repeated, Call::Start(Box::new(self.request.clone()), reply))
        } else if self.ending != Ending::Leave && !self.is_ended && draw < 20 {
            let is_repeated = self.end.is_some();
            if is_repeated && !dice.percent(20) {
                return None;
            }
            let (reply, answer) = Reply::channel();
            self.end = Some(answer);
            let (run, request_id) = (self.selector(), self.end_id());
            let reason = "simulated".to_owned();
            if self.ending == Ending::Cancel {
                (2, is_repeated, Call::Cancel(Box::new(CancelRequest { run, reason, request_id }), reply))
            } else {
                let request = TerminateRequest { run, reason, request_id };
                (3, is_repeated, Call::Terminate(Box::new(request), reply))
            }
        } else if draw < 30 && !is_calm && self.description.is_none() {
            let (reply, answer) = Reply::channel();
            self.description = Some(answer);
            (4, false, Call::Describe(self.selector(), reply))
        } else if draw < 38 && !is_calm && self.history.is_none() {
            let (reply, answer) = Reply::channel();
            self.history = Some(answer);
            (5, false, Call::History(self.selector(), reply))
        } else {
            // One that hangs is given up now and then, as a client with a timeout would.
            if self.result.is_some() && !dice.percent(10) {
                return None;
            }
            let is_repeated = self.result.is_some();
            let (reply, answer) = Reply::channel();
            self.result = Some(answer);
            (6, is_repeated, Call::Result(self.selector(), reply))
        };
        node.post(shard, ShardMessage::Call(call));
        let names =
            ["", "the start", "a cancel", "a termination", "a description", "a history", "the result"];
        let name = names.get(usize::try_from(what).unwrap_or(0)).unwrap_or(&"");
        Some(Asked { what, text: format!("{name} of {}", self.workflow()), is_repeated })
    }

    /// Reads the answers that have come, and compares them with what is stored.
    pub(super) fn listen(&mut self, books: &Books) -> Result<Vec<Heard>, String> {
        let mut heard = Vec::new();
        self.hear_start(books, &mut heard)?;
        self.hear_end(books, &mut heard)?;
        if let Some(Some(Ok(told))) = poll(&mut self.description) {
            books.hear_description(&told)?;
            heard.push(Heard { what: 4, text: format!("that it is {:?}", told.status) });
        }
        if let Some(Some(Ok(told))) = poll(&mut self.history)
            && let Some(run) = self.started
        {
            books.hear_history(self.workflow(), run, &told)?;
            heard.push(Heard { what: 5, text: format!("{} events", told.len()) });
        }
        if let Some(Some(Ok(outcome))) = poll(&mut self.result) {
            books.hear_outcome(self.workflow(), &outcome)?;
            if self.started != Some(outcome.run_id) {
                return Err(format!("`{}` hears the result of another run", self.workflow()));
            }
            if self.outcome.as_ref().is_some_and(|before| *before != outcome) {
                return Err(format!("`{}` has two results", self.workflow()));
            }
            heard.push(Heard { what: 6, text: format!("the result {}", outcome.closing.name()) });
            self.outcome = Some(outcome);
        }
        Ok(heard)
    }

    fn hear_start(&mut self, books: &Books, heard: &mut Vec<Heard>) -> Result<(), String> {
        let Some(Some(answer)) = poll(&mut self.start) else { return Ok(()) };
        let Ok(started) = answer else {
            heard.push(Heard { what: 7, text: "that it cannot start".to_owned() });
            return Ok(());
        };
        if self.started.is_some_and(|before| before != started.run_id) {
            return Err(format!("`{}` was acknowledged as two runs", self.workflow()));
        }
        if let Some(request) = &self.request.request_id {
            books.hear_started(self.workflow(), request, started.run_id)?;
        }
        heard.push(Heard { what: 1, text: format!("of its run {}", started.run_id) });
        self.started = Some(started.run_id);
        Ok(())
    }

    fn hear_end(&mut self, books: &Books, heard: &mut Vec<Heard>) -> Result<(), String> {
        match poll(&mut self.end) {
            Some(Some(Ok(()))) => {
                if let (Some(run), Some(request)) = (self.started, self.end_id()) {
                    if self.ending == Ending::Cancel {
                        books.hear_cancelled(self.workflow(), &request, run)?;
                        heard.push(Heard { what: CANCELLED, text: "that it is cancelled".to_owned() });
                    } else {
                        books.hear_terminated(self.workflow(), &request, run)?;
                        heard.push(Heard { what: TERMINATED, text: "that it is terminated".to_owned() });
                    }
                }
                self.is_ended = true;
            }
            Some(Some(Err(EndError::Closed { .. }))) => {
                heard.push(Heard { what: 8, text: "that it is closed".to_owned() });
                self.ending = Ending::Leave;
            }
            Some(Some(Err(_)) | None) | None => {}
        }
        Ok(())
    }

    /// The end: the wish came true, and the history tells it.
    pub(super) fn check_over(&self, books: &Books) -> Result<(), String> {
        let workflow = self.workflow();
        let Some(run) = self.started else { return Err(format!("`{workflow}` was never started")) };
        let Some(outcome) = &self.outcome else {
            return Err(format!(
                "`{workflow}` did not end although nothing goes wrong any more: {}",
                books.describe(run)
            ));
        };
        books.hear_outcome(workflow, outcome)?;
        if self.is_ended
            && self.ending == Ending::Terminate
            && !matches!(outcome.closing, EventKind::WorkflowTerminated(_))
        {
            return Err(format!("`{workflow}` was terminated and ended with {}", outcome.closing.name()));
        }
        Ok(())
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
