//! Changing one node of a program, as a deployment that does not fit would.

use super::super::dice::Dice;
use super::tree::{Block, Node, Program};

impl Program {
    /// The program with one node changed: another activity, two nodes in the other order, one more, one less. The
    /// words say which.
    #[must_use]
    pub fn changed(&self, seed: u64) -> (Self, String) {
        let mut dice = Dice::new(seed ^ 0x00c4_a26e_d0c0_de00);
        let mut program = self.clone();
        let mut at = dice.index(program.size());
        let what = change(&mut program.body, &mut at, &mut dice);
        (program, what.unwrap_or_else(|| "nothing".to_owned()))
    }
}

/// Changes the node that is `at` places further on, counted in the order in which they are written.
fn change(block: &mut Block, at: &mut usize, dice: &mut Dice) -> Option<String> {
    for index in 0..block.0.len() {
        if *at == 0 {
            return Some(change_here(block, index, dice));
        }
        *at -= 1;
        for below in block.0.get_mut(index)?.blocks_mut() {
            if let Some(what) = change(below, at, dice) {
                return Some(what);
            }
        }
    }
    None
}

fn change_here(block: &mut Block, index: usize, dice: &mut Dice) -> String {
    let nodes = &mut block.0;
    match dice.below(4) {
        0 if index + 1 < nodes.len() => {
            nodes.swap(index, index + 1);
            format!("swapped {:?} and {:?}", head(&nodes[index + 1]), head(&nodes[index]))
        }
        1 => {
            let twice = nodes[index].clone();
            nodes.insert(index, twice);
            format!("one more {}", head(&nodes[index]))
        }
        2 => format!("one less {}", head(&nodes.remove(index))),
        _ => {
            let before = head(&nodes[index]);
            if let Node::Call(call) = &mut nodes[index] {
                call.activity += 1;
            } else {
                nodes[index] = Node::Sleep(7);
            }
            format!("{before} became {}", head(&nodes[index]))
        }
    }
}

fn head(node: &Node) -> String {
    let text = Program { body: Block(vec![node.clone()]) }.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}
