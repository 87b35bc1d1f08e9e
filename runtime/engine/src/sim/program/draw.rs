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
        // In some programs all that happens is inside a saga.
        let body = if draw.dice.percent(30) && budget > 2 {
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
        let wanted = if depth < 2 { 5 + self.dice.index(12) } else { 1 + self.dice.index(4) };
        let mut nodes = Vec::new();
        while nodes.len() < wanted && *budget > 0 {
            *budget -= 1;
            let node = self.node(budget, depth, in_saga);
            // Most of what may fail on the way to the end of the function is caught: else few would come far.
            let is_caught = depth == 0 && *budget > 0 && self.dice.percent(70);
            *budget -= usize::from(is_caught);
            nodes.push(if is_caught { Node::Catch(Block(vec![node])) } else { node });
        }
        Block(nodes)
    }

    fn node(&mut self, budget: &mut usize, depth: u32, in_saga: bool) -> Node {
        if depth >= DEPTH_MAX || *budget < 3 || self.dice.percent(45) {
            return self.leaf(in_saga);
        }
        // What follows shall have something left.
        let share = 3 + self.dice.index(*budget / 3 + 1);
        let share = share.min(*budget);
        *budget -= share;
        self.composite(share, depth + 1, in_saga)
    }

    /// A node with blocks below it, of at most `share` nodes in all.
    fn composite(&mut self, share: usize, depth: u32, in_saga: bool) -> Node {
        let one = |draw: &mut Self, in_saga| draw.block(&mut { share }, depth, in_saga);
        match self.dice.below(100) {
            0..10 => Node::Join(self.parts(share, depth, in_saga)),
            10..22 => Node::TryJoin(self.parts(share, depth, in_saga)),
            22..34 => Node::Race(self.parts(share, depth, in_saga)),
            34..46 => {
                let wait = [Wait::Here, Wait::Later, Wait::Later, Wait::Never][self.dice.index(4)];
                // A saga that goes on while the one around it ends.
                let task = if in_saga && self.dice.percent(40) {
                    Block(vec![Node::Saga(self.block(&mut (share - 1), depth, true))])
                } else {
                    one(self, in_saga)
                };
                Node::Spawn { task, wait }
            }
            46..54 => {
                let (body, until) = self.pair(share, depth, in_saga);
                Node::Scope { body, until }
            }
            54..58 => Node::Disconnected(one(self, in_saga)),
            58..61 => Node::UntilCancelled(one(self, in_saga)),
            61..77 => Node::Saga(one(self, true)),
            77..82 if in_saga => Node::OnUndo(one(self, false)),
            77..88 => Node::Catch(one(self, in_saga)),
            88..94 => {
                let on = [Choice::Value, Choice::Value, Choice::Random, Choice::Now, Choice::Cancelled];
                let on = on[self.dice.index(on.len())];
                let (then, otherwise) = self.pair(share, depth, in_saga);
                Node::Branch { on, then, otherwise }
            }
            _ => {
                let times = 2 + u8::try_from(self.dice.below(2)).unwrap_or(0);
                // Each turn counts.
                let mut share = (share / usize::from(times)).max(1);
                Node::Repeat { times, body: self.block(&mut share, depth, in_saga) }
            }
        }
    }

    fn parts(&mut self, share: usize, depth: u32, in_saga: bool) -> Vec<Block> {
        let count = (2 + self.dice.index(2)).min(share);
        (0..count).map(|_| self.block(&mut (share / count), depth, in_saga)).collect()
    }

    fn pair(&mut self, share: usize, depth: u32, in_saga: bool) -> (Block, Block) {
        let one = self.block(&mut (share / 2), depth, in_saga);
        (one, self.block(&mut (share / 2), depth, in_saga))
    }

    fn leaf(&mut self, in_saga: bool) -> Node {
        match self.dice.below(100) {
            0..66 => Node::Call(self.call(in_saga)),
            66..78 => Node::Sleep([0, 10, 500, 1_000, 3_000, 60_000][self.dice.index(6)]),
            78..86 => Node::Step(LocalStep { site: self.next_site(), fails: self.dice.percent(15) }),
            86..90 => Node::SideEffect,
            90..94 => Node::Random,
            94..96 => Node::Uuid,
            96..98 => Node::Now,
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
