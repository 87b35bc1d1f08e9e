//! A workflow function with somebody who writes down what its code sees.

use std::sync::{Arc, Mutex};

use steadfast_core::exec::{Definition, Executor};
use steadfast_core::{ActivityOptions, WorkflowType};
use steadfast_engine::sim::{Program, Seen};

/// An executor and what its code has seen since the last look.
pub(crate) struct Watched {
    pub(crate) executor: Executor,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Watched {
    pub(crate) fn new(program: &Program) -> Self {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let into = Arc::clone(&seen);
        let observer = Arc::new(move |thing| into.lock().unwrap().push(thing));
        let definition: Arc<dyn Definition> =
            program.observed(&WorkflowType::new("program").unwrap(), observer);
        Self { executor: Executor::new(definition, ActivityOptions::default()), seen }
    }

    pub(crate) fn look(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

/// What is seen again at replay: everything but the computing of side effects.
pub(crate) fn repeated(seen: &[Seen]) -> Vec<Seen> {
    seen.iter().filter(|seen| **seen != Seen::SideEffectComputed).cloned().collect()
}
