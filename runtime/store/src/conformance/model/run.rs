//! One comparison: the loop, the two stores, what has succeeded so far.

use std::collections::BTreeSet;

use steadfast_core::{Namespace, SessionId};

use super::super::harness::Harness;
use super::super::rows::{everything, ok};
use crate::contract::{Sessions, Store};
use crate::dice::Dice;
use crate::memory::MemoryStore;

/// At least so many steps, however early everything has succeeded.
const STEPS_MIN: u64 = 400;
/// If something has not succeeded by then, the sequence is wrong.
const STEPS_MAX: u64 = 20_000;

/// One session in both stores, which may number them differently.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) real: SessionId,
    pub(super) model: SessionId,
}

pub(super) struct Comparison<'h> {
    pub(super) harness: &'h mut dyn Harness,
    pub(super) model: MemoryStore,
    pub(super) dice: Dice,
    /// All that were ever opened, ended ones included.
    pub(super) sessions: Vec<Pair>,
    /// Whether the store's clock can be moved, so that times can be compared.
    pub(super) clock: bool,
    seed: u64,
    step: u64,
    last: String,
    succeeded: BTreeSet<&'static str>,
}

impl<'h> Comparison<'h> {
    pub(super) fn new(harness: &'h mut dyn Harness, seed: u64) -> Self {
        let namespace = ok(Namespace::new("model"));
        let model = MemoryStore::new(namespace, harness.store().shard_count(), ok(harness.store().now()));
        let clock = harness.advance(std::time::Duration::ZERO);
        let dice = Dice::new(seed);
        Self {
            harness,
            model,
            dice,
            sessions: Vec::new(),
            clock,
            seed,
            step: 0,
            last: String::new(),
            succeeded: BTreeSet::new(),
        }
    }

    pub(super) fn run(mut self) {
        let mut wanted: BTreeSet<&'static str> = super::operation::KINDS
            .iter()
            .chain(super::writes::KINDS)
            .chain(super::reading::KINDS)
            .copied()
            .collect();
        if !self.clock {
            wanted.remove("a lapsed session is ended");
        }
        while self.step < STEPS_MIN || !wanted.is_subset(&self.succeeded) {
            self.step += 1;
            if self.step > STEPS_MAX {
                let missing: Vec<_> = wanted.difference(&self.succeeded).collect();
                panic!("seed {}: never succeeded: {missing:?}", self.seed);
            }
            self.operate();
            self.read();
        }
        self.compare_everything();
    }

    pub(super) fn real(&self) -> &dyn Store {
        self.harness.store()
    }

    /// Names what is about to happen, for the message if it goes wrong.
    pub(super) fn doing(&mut self, what: &impl std::fmt::Debug) {
        self.last = format!("{what:?}");
    }

    pub(super) fn succeeded(&mut self, kind: &'static str) {
        self.succeeded.insert(kind);
    }

    /// Both answers must be the same.
    #[track_caller]
    pub(super) fn same<T: PartialEq + std::fmt::Debug>(&self, what: &str, real: &T, model: &T) {
        assert!(
            real == model,
            "seed {}, step {}: {what} differs after {}\nstore: {real:?}\nmodel: {model:?}",
            self.seed,
            self.step,
            self.last
        );
    }

    /// The store's name of a session of the model.
    pub(super) fn real_of(&self, model: SessionId) -> SessionId {
        self.sessions.iter().find(|pair| pair.model == model).map_or(model, |pair| pair.real)
    }

    pub(super) fn compare_everything(&self) {
        // Tasks name sessions; they are compared where they are read.
        let of = |store: &dyn Store| -> Vec<String> {
            everything(store).lines().filter(|line| !line.starts_with("tasks")).map(str::to_owned).collect()
        };
        for (real, model) in of(self.real()).iter().zip(&of(&self.model)) {
            self.same("everything", real, model);
        }
        self.same("the clock", &(!self.clock || ok(self.real().now()) == ok(self.model.now())), &true);
    }
}
