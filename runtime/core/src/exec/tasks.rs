//! The tasks of a run: its main function, what it spawned, and sagas that unwind.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::Waker;

use super::cell::RunCell;
use super::waker::TaskId;

pub(crate) type TaskFuture = Pin<Box<dyn Future<Output = ()>>>;

/// What a task is for the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskRole {
    /// Its end is the end of the run's code.
    Main,
    /// It ends with the main function.
    Spawned,
    /// The run does not close before it ends.
    Unwinding,
}

pub(crate) struct TaskSlot {
    pub(crate) role: TaskRole,
    /// Taken out while it is polled.
    pub(crate) future: Option<TaskFuture>,
    pub(crate) waker: Waker,
}

/// All tasks, by order of creation.
#[derive(Default)]
pub(crate) struct Tasks {
    slots: BTreeMap<TaskId, TaskSlot>,
    next: TaskId,
    /// The main function is over: nothing is spawned any more.
    pub(crate) main_is_over: bool,
}

impl Tasks {
    pub(crate) fn get_mut(&mut self, task: TaskId) -> Option<&mut TaskSlot> {
        self.slots.get_mut(&task)
    }

    pub(crate) fn remove(&mut self, task: TaskId) -> Option<TaskSlot> {
        self.slots.remove(&task)
    }

    /// The tasks that end with the main function, by order of creation.
    pub(crate) fn spawned(&self) -> Vec<TaskId> {
        self.slots.iter().filter(|(_, slot)| slot.role == TaskRole::Spawned).map(|(task, _)| *task).collect()
    }

    pub(crate) fn is_unwinding(&self) -> bool {
        self.slots.values().any(|slot| slot.role == TaskRole::Unwinding)
    }

    pub(crate) fn take_all(&mut self) -> BTreeMap<TaskId, TaskSlot> {
        std::mem::take(&mut self.slots)
    }
}

impl RunCell {
    /// Adds a task, to be polled after those that wait already. A task that may not begin any more is given back.
    pub(crate) fn add_task(&self, role: TaskRole, future: TaskFuture) -> Result<(), TaskFuture> {
        let mut tasks = self.tasks.borrow_mut();
        let over = tasks.main_is_over && role == TaskRole::Spawned;
        if over || self.is_halted() {
            return Err(future);
        }
        let task = tasks.next;
        tasks.next += 1;
        let waker = self.wakes.waker(task);
        tasks.slots.insert(task, TaskSlot { role, future: Some(future), waker });
        self.wakes.push(task);
        Ok(())
    }
}
