//! The program itself: a tree of what workflow code can do.

use std::collections::BTreeSet;

use steadfast_core::ActivityName;

/// A workflow function as data. Its text form ([`std::fmt::Display`]) is for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What the function does.
    pub body: Block,
}

/// Things that are done one after the other. The first error ends the block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block(pub Vec<Node>);

/// One thing that workflow code does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Calls an activity and awaits it; inside a saga it is a step of it.
    Call(Call),
    /// A durable sleep of so many milliseconds.
    Sleep(u64),
    /// A small activity written in place.
    Step(LocalStep),
    /// A value that is recorded.
    SideEffect,
    /// Draws one of the run's random numbers.
    Random,
    /// Draws one of the run's random UUIDs.
    Uuid,
    /// Reads the time of the activation, and the length of the history.
    Now,
    /// All branches side by side, to their ends; errors become values.
    Join(Vec<Block>),
    /// All branches side by side; the first error drops the others.
    TryJoin(Vec<Block>),
    /// All branches side by side; the first that ends drops the others.
    Race(Vec<Block>),
    /// A task of the run.
    Spawn {
        /// What it does.
        task: Block,
        /// When it is awaited.
        wait: Wait,
    },
    /// A block in a scope of its own, which is cancelled once another block has ended. Its error becomes a value.
    Scope {
        /// What is done in the scope.
        body: Block,
        /// What is done meanwhile, outside the scope, before it is cancelled.
        until: Block,
    },
    /// A block that no cancel reaches.
    Disconnected(Block),
    /// A block that is dropped when its scope is cancelled.
    UntilCancelled(Block),
    /// A saga; inside a saga a nested one.
    Saga(Block),
    /// Registers code of the workflow's own to run when the saga unwinds. Outside a saga it does nothing.
    OnUndo(Block),
    /// A block whose error becomes a value.
    Catch(Block),
    /// One of two blocks.
    Branch {
        /// What decides.
        on: Choice,
        /// If it is odd.
        then: Block,
        /// If it is even.
        otherwise: Block,
    },
    /// A block several times.
    Repeat {
        /// How often.
        times: u8,
        /// What.
        body: Block,
    },
    /// An error of the workflow's own.
    Fail,
}

/// A call of an activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Which activity, by number.
    pub activity: u8,
    /// Names the call; other calls of the program have other numbers.
    pub site: u32,
    /// The most attempts; 0 is without end.
    pub attempts: u32,
    /// How long one attempt may take, in seconds.
    pub start_to_close: u64,
    /// How long all attempts may take, in seconds.
    pub schedule_to_close: Option<u64>,
    /// What undoes it, if it is a step of a saga.
    pub undo: Option<UndoCall>,
}

/// The undo of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoCall {
    /// Which activity, by number; other than those that are called.
    pub activity: u8,
    /// The most attempts; 0 is without end.
    pub attempts: u32,
}

/// A small activity written in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalStep {
    /// Names it.
    pub site: u32,
    /// Whether its body fails, and for good.
    pub fails: bool,
}

/// When a task is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// At once.
    Here,
    /// At the end of the block that began it.
    Later,
    /// Never: it goes on by itself.
    Never,
}

/// What a branch is decided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// What the code has come to so far, results of activities included.
    Value,
    /// One of the run's random numbers.
    Random,
    /// The time of the activation.
    Now,
    /// Whether the scope is cancelled.
    Cancelled,
}

impl Call {
    /// The name of the activity.
    #[must_use]
    pub fn name(&self) -> ActivityName {
        named("act", self.activity)
    }
}

impl UndoCall {
    /// The name of the activity.
    #[must_use]
    pub fn name(self) -> ActivityName {
        named("undo", self.activity)
    }
}

fn named(what: &str, number: u8) -> ActivityName {
    #[expect(clippy::expect_used, reason = "a word and a number are neither blank nor long")]
    ActivityName::new(format!("{what}-{number}")).expect("a short name")
}

impl Node {
    /// The blocks below, in the order in which they are written.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::Call(_)
            | Self::Sleep(_)
            | Self::Step(_)
            | Self::SideEffect
            | Self::Random
            | Self::Uuid
            | Self::Now
            | Self::Fail => Vec::new(),
            Self::Join(blocks) | Self::TryJoin(blocks) | Self::Race(blocks) => blocks.iter().collect(),
            Self::Spawn { task: block, .. }
            | Self::Disconnected(block)
            | Self::UntilCancelled(block)
            | Self::Saga(block)
            | Self::OnUndo(block)
            | Self::Catch(block)
            | Self::Repeat { body: block, .. } => vec![block],
            Self::Scope { body, until } => vec![body, until],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Self::Call(_)
            | Self::Sleep(_)
            | Self::Step(_)
            | Self::SideEffect
            | Self::Random
            | Self::Uuid
            | Self::Now
            | Self::Fail => Vec::new(),
            Self::Join(blocks) | Self::TryJoin(blocks) | Self::Race(blocks) => blocks.iter_mut().collect(),
            Self::Spawn { task: block, .. }
            | Self::Disconnected(block)
            | Self::UntilCancelled(block)
            | Self::Saga(block)
            | Self::OnUndo(block)
            | Self::Catch(block)
            | Self::Repeat { body: block, .. } => vec![block],
            Self::Scope { body, until } => vec![body, until],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
        }
    }
}

impl Block {
    /// How many nodes there are, those below included.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.iter().map(|node| 1 + node.blocks().into_iter().map(Self::size).sum::<usize>()).sum()
    }

    pub(super) fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Node)) {
        for node in &self.0 {
            see(node);
            for block in node.blocks() {
                block.visit(see);
            }
        }
    }
}

impl Program {
    /// How many nodes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.body.size()
    }

    /// The activities that it may call, undos included.
    #[must_use]
    pub fn activities(&self) -> BTreeSet<ActivityName> {
        let mut names = BTreeSet::new();
        self.body.visit(&mut |node| {
            if let Node::Call(call) = node {
                names.insert(call.name());
                names.extend(call.undo.map(UndoCall::name));
            }
        });
        names
    }
}
