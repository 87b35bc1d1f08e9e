//! Which of many children were woken, in the order of their wakes: a completion among n costs O(1).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// The children that wait to be polled.
#[derive(Debug, Default)]
pub(super) struct Woken {
    /// Held for a push or a swap; wakers are called outside.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    ready: VecDeque<usize>,
    is_ready: Vec<bool>,
    parent: Option<Waker>,
}

impl Woken {
    /// All of `count` children, in the order written.
    pub(super) fn all(count: usize) -> Arc<Self> {
        let state = State { ready: (0..count).collect(), is_ready: vec![true; count], parent: None };
        Arc::new(Self { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The children woken so far. From now on `parent` is woken with each of them.
    pub(super) fn take(&self, parent: &Waker) -> VecDeque<usize> {
        let mut state = self.state();
        match &mut state.parent {
            Some(known) => known.clone_from(parent),
            None => state.parent = Some(parent.clone()),
        }
        let ready = std::mem::take(&mut state.ready);
        for child in &ready {
            state.is_ready[*child] = false;
        }
        ready
    }

    /// The waker of one child.
    pub(super) fn waker(self: &Arc<Self>, child: usize) -> Waker {
        Waker::from(Arc::new(ChildWaker { woken: Arc::clone(self), child }))
    }
}

struct ChildWaker {
    woken: Arc<Woken>,
    child: usize,
}

impl Wake for ChildWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let parent = {
            let mut state = self.woken.state();
            if !state.is_ready[self.child] {
                state.is_ready[self.child] = true;
                state.ready.push_back(self.child);
            }
            state.parent.clone()
        };
        // Each wake is handed on, so that the run sees one that comes from outside.
        if let Some(parent) = parent {
            parent.wake();
        }
    }
}
