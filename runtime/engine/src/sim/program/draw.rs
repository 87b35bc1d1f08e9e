//! Drawing a program from a seed.

use super::super::dice::Dice;
use super::tree::{Block, Call, Choice, LocalStep, Node, Program, UndoCall, Wait};

/// How deep blocks lie in each other.
const DEPTH_MAX: u32 = 6;
/// How many different activities there are to call.
const ACTIVITIES: u64 = 5;

impl Program {
    /// The program of a seed, of about `size` nodes at most.
    ///
    /// ```
    /// use steadfast_engine::sim::Program;
    /// assert_eq!(Program::draw(7, 20), Program::draw(7, 20));
    /// assert!(Program::draw(7, 20).size() <= 20);
    /// ```
    #[must_use]
    pub fn draw(seed: u64, size: usize) -> Self {
        let mut draw = Draw { dice: Dice::new(seed ^ 0x5eed_0f9a_0657_a115), site: 0 };
        let mut budget = size.max(1);
        // In every other program all that happens is inside a saga.
        let body = if draw.dice.percent(50) && budget > 2 {
            let mut inner = budget - 1;
            Block(vec![Node::Saga(draw.block(&mut inner, 1, true))])
        } else {
            draw.block(&mut budget, 0, false)
        };
        Self { body }
    }
}

struct Draw {
    dice: Dice,
    site: u32,
}

impl Draw {
    /// A block of at least one node; takes what it uses off the budget.
    fn block(&mut self, budget: &mut usize, depth: u32, in_saga: bool) -> Block {
        let wanted = if depth < 2 { 3 + self.dice.index(7) } else { 1 + self.dice.index(4) };
        let mut nodes = Vec::new();
        while nodes.len() < wanted && *budget > 0 {
            *budget -= 1;
            nodes.push(self.node(budget, depth, in_saga));
        }
        Block(nodes)
    }

    fn node(&mut self, budget: &mut usize, depth: u32, in_saga: bool) -> Node {
        if depth >= DEPTH_MAX || *budget < 2 || self.dice.percent(40) {
            return self.leaf(in_saga);
        }
        let depth = depth + 1;
        match self.dice.below(100) {
            0..10 => Node::Join(self.branches(budget, depth, in_saga)),
            10..22 => Node::TryJoin(self.branches(budget, depth, in_saga)),
            22..36 => Node::Race(self.branches(budget, depth, in_saga)),
            36..46 => {
                let wait = [Wait::Here, Wait::Later, Wait::Later, Wait::Never][self.dice.index(4)];
                Node::Spawn { task: self.block(budget, depth, in_saga), wait }
            }
            46..54 => {
                let body = self.block(budget, depth, in_saga);
                Node::Scope { body, until: self.block(budget, depth, in_saga) }
            }
            54..58 => Node::Disconnected(self.block(budget, depth, in_saga)),
            58..61 => Node::UntilCancelled(self.block(budget, depth, in_saga)),
            61..77 => Node::Saga(self.block(budget, depth, true)),
            77..81 if in_saga => Node::OnUndo(self.block(budget, depth, false)),
            77..86 => Node::Catch(self.block(budget, depth, in_saga)),
            86..94 => {
                let on = [Choice::Value, Choice::Value, Choice::Random, Choice::Now, Choice::Cancelled];
                let on = on[self.dice.index(on.len())];
                let then = self.block(budget, depth, in_saga);
                Node::Branch { on, then, otherwise: self.block(budget, depth, in_saga) }
            }
            _ => {
                let times = 2 + u8::try_from(self.dice.below(2)).unwrap_or(0);
                // Each turn counts.
                let mut inner = (*budget / usize::from(times)).max(1);
                let body = self.block(&mut inner, depth, in_saga);
                *budget = budget.saturating_sub(body.size() * usize::from(times));
                Node::Repeat { times, body }
            }
        }
    }

    fn branches(&mut self, budget: &mut usize, depth: u32, in_saga: bool) -> Vec<Block> {
        let count = 2 + self.dice.index(2);
        (0..count).map(|_| self.block(budget, depth, in_saga)).collect()
    }

    fn leaf(&mut self, in_saga: bool) -> Node {
        match self.dice.below(100) {
            0..64 => Node::Call(self.call(in_saga)),
            64..76 => Node::Sleep([0, 10, 500, 1_000, 3_000, 60_000][self.dice.index(6)]),
            76..84 => Node::Step(LocalStep { site: self.next_site(), fails: self.dice.percent(15) }),
            84..88 => Node::SideEffect,
            88..92 => Node::Random,
            92..94 => Node::Uuid,
            94..97 => Node::Now,
            _ => Node::Fail,
        }
    }

    fn call(&mut self, in_saga: bool) -> Call {
        let undo = (in_saga && self.dice.percent(85))
            .then(|| UndoCall { activity: self.activity(), attempts: [1, 2, 3, 10][self.dice.index(4)] });
        Call {
            activity: self.activity(),
            site: self.next_site(),
            attempts: [0, 1, 1, 2, 3][self.dice.index(5)],
            start_to_close: 5 + self.dice.below(20),
            schedule_to_close: self.dice.percent(20).then(|| 5 + self.dice.below(60)),
            undo,
        }
    }

    fn activity(&mut self) -> u8 {
        u8::try_from(self.dice.below(ACTIVITIES)).unwrap_or(0)
    }

    fn next_site(&mut self) -> u32 {
        self.site += 1;
        self.site
    }
}
