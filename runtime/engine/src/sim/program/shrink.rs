//! Making a failing program smaller.

use super::tree::{Block, Node, Program};

impl Program {
    /// Programs that are a step smaller, the smallest first: a node left out, a node replaced by what is below it, a
    /// loop with fewer turns, a call with simpler options.
    #[must_use]
    pub fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = smaller_blocks(&self.body).into_iter().map(|body| Self { body }).collect();
        all.sort_by_key(Self::size);
        all
    }

    /// The smallest program found that is still wrong, beginning with this one, which is.
    #[must_use]
    pub fn shrink(&self, is_wrong: &mut dyn FnMut(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        while let Some(next) = smallest.smaller().into_iter().find(&mut *is_wrong) {
            smallest = next;
        }
        smallest
    }
}

fn smaller_blocks(block: &Block) -> Vec<Block> {
    let mut all = Vec::new();
    for (index, node) in block.0.iter().enumerate() {
        let with = |nodes: Vec<Node>| {
            let mut changed = block.0.clone();
            changed.splice(index..=index, nodes);
            Block(changed)
        };
        all.push(with(Vec::new()));
        for below in node.blocks() {
            all.push(with(below.0.clone()));
        }
        all.extend(smaller_nodes(node).into_iter().map(|node| with(vec![node])));
    }
    all
}

fn smaller_nodes(node: &Node) -> Vec<Node> {
    let mut all = simpler(node);
    for index in 0..node.blocks().len() {
        for smaller in node.blocks().get(index).map(|block| smaller_blocks(block)).unwrap_or_default() {
            let mut changed = node.clone();
            if let Some(place) = changed.blocks_mut().into_iter().nth(index) {
                *place = smaller;
                all.push(changed);
            }
        }
    }
    all
}

/// The node itself made simpler, those below left as they are.
#[expect(clippy::wildcard_enum_match_arm, reason = "other nodes have nothing to make simpler")]
fn simpler(node: &Node) -> Vec<Node> {
    let without = |blocks: &[Block], make: fn(Vec<Block>) -> Node| {
        let fewer = |left_out| {
            let kept = blocks.iter().enumerate().filter(|(index, _)| *index != left_out);
            make(kept.map(|(_, block)| block.clone()).collect())
        };
        if blocks.len() > 1 { (0..blocks.len()).map(fewer).collect() } else { Vec::new() }
    };
    match node {
        Node::Join(blocks) => without(blocks, Node::Join),
        Node::TryJoin(blocks) => without(blocks, Node::TryJoin),
        Node::Race(blocks) => without(blocks, Node::Race),
        Node::Repeat { times: 2.., body } => vec![Node::Repeat { times: 1, body: body.clone() }],
        Node::Call(call) => {
            let mut all = Vec::new();
            if call.undo.is_some() {
                all.push(Node::Call(super::tree::Call { undo: None, ..call.clone() }));
            }
            if call.schedule_to_close.is_some() {
                all.push(Node::Call(super::tree::Call { schedule_to_close: None, ..call.clone() }));
            }
            if call.attempts > 1 {
                all.push(Node::Call(super::tree::Call { attempts: 1, ..call.clone() }));
            }
            all
        }
        Node::Sleep(1..) => vec![Node::Sleep(0)],
        _ => Vec::new(),
    }
}
