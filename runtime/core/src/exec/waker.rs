//! Wakers that know where they were called from.
//!
//! A workflow's futures may only be woken from inside an activation, on the thread that runs it: then the order of
//! wakes is the order of the code. Any other wake comes from outside the history, and is remembered as a fault.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::thread::ThreadId;

/// A number that stands for one task of a run; 0 is its main function.
pub(crate) type TaskId = u32;

/// The tasks that were woken, in the order of their wakes.
#[derive(Debug, Default)]
pub(crate) struct WakeQueue {
    /// Held only for the few instructions of a push or a pop.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The thread on which an activation runs now.
    active: Option<ThreadId>,
    ready: VecDeque<TaskId>,
    foreign: bool,
}

impl WakeQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An activation begins on this thread.
    pub(crate) fn enter(&self) {
        self.state().active = Some(std::thread::current().id());
    }

    /// It ends.
    pub(crate) fn leave(&self) {
        self.state().active = None;
    }

    /// The next task to poll.
    pub(crate) fn pop(&self) -> Option<TaskId> {
        self.state().ready.pop_front()
    }

    /// Puts a task at the end, unless it waits already.
    pub(crate) fn push(&self, task: TaskId) {
        let mut state = self.state();
        if !state.ready.contains(&task) {
            state.ready.push_back(task);
        }
    }

    /// Whether a wake came from outside since the last call.
    pub(crate) fn take_foreign(&self) -> bool {
        std::mem::take(&mut self.state().foreign)
    }

    /// The waker of one task.
    pub(crate) fn waker(self: &Arc<Self>, task: TaskId) -> Waker {
        Waker::from(Arc::new(TaskWaker { queue: Arc::clone(self), task }))
    }
}

struct TaskWaker {
    queue: Arc<WakeQueue>,
    task: TaskId,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.queue.state();
        if state.active != Some(std::thread::current().id()) {
            state.foreign = true;
        } else if !state.ready.contains(&self.task) {
            state.ready.push_back(self.task);
        }
    }
}
